CREATE TABLE "user_search" (
	"user_id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"folded" text,
	"fold" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "user_search" ADD CONSTRAINT "user_search_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_search_newest" ON "user_search" USING btree ("created_at","user_id");--> statement-breakpoint
CREATE INDEX "user_search_newest_of_app" ON "user_search" USING btree ("app_id","created_at","user_id");--> statement-breakpoint
CREATE INDEX "user_search_stale" ON "user_search" USING btree ("created_at","user_id","app_id") WHERE fold < 1;--> statement-breakpoint

-- Written by hand, because drizzle-kit knows no triggers: they say which users are to be folded, whoever writes them (docs/decisions/0079).
CREATE FUNCTION "users_begin_search"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO user_search (user_id, app_id, created_at, fold) VALUES (NEW.id, NEW.app_id, NEW.created_at, 0)
    ON CONFLICT (user_id) DO NOTHING;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "users_begin_search" AFTER INSERT ON "users" FOR EACH ROW EXECUTE FUNCTION "users_begin_search"();--> statement-breakpoint
CREATE FUNCTION "users_change_search"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE user_search SET app_id = NEW.app_id, created_at = NEW.created_at, folded = NULL, fold = 0 WHERE user_id = NEW.id;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "users_change_search" AFTER UPDATE OF "app_id", "email", "name", "created_at" ON "users" FOR EACH ROW
  WHEN (ROW(OLD.app_id, OLD.email, OLD.name, OLD.created_at) IS DISTINCT FROM ROW(NEW.app_id, NEW.email, NEW.name, NEW.created_at))
  EXECUTE FUNCTION "users_change_search"();
