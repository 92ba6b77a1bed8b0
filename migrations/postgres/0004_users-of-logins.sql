-- In the order in which a sign-in takes them: neither then waits for the other crosswise.
LOCK TABLE "users" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "user_email" text;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "user_email_verified" boolean;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "user_name" text;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "user_disabled_at" bigint;--> statement-breakpoint
-- What a login says of its user is the database's to keep (docs/decisions/0027): here, so that nodes of an older version are no exception.
CREATE FUNCTION "logins_take_user"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Locked: whoever changes the user at the same moment has finished, or sees this login.
  SELECT email, email_verified, name, disabled_at
    INTO NEW.user_email, NEW.user_email_verified, NEW.user_name, NEW.user_disabled_at
    FROM users WHERE id = NEW.user_id FOR SHARE;
  RETURN NEW;
END
$$;--> statement-breakpoint
-- A login that brings what it says of its user was copied from another database.
CREATE TRIGGER "logins_take_user" BEFORE INSERT ON "logins" FOR EACH ROW
  WHEN (NEW.user_email_verified IS NULL AND NEW.ended_at IS NULL) EXECUTE FUNCTION "logins_take_user"();--> statement-breakpoint
CREATE FUNCTION "users_tell_logins"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE logins
    SET user_email = NEW.email, user_email_verified = NEW.email_verified, user_name = NEW.name, user_disabled_at = NEW.disabled_at
    WHERE user_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "users_tell_logins" AFTER UPDATE OF "email", "email_verified", "name", "disabled_at" ON "users" FOR EACH ROW
  WHEN (ROW(OLD.email, OLD.email_verified, OLD.name, OLD.disabled_at) IS DISTINCT FROM ROW(NEW.email, NEW.email_verified, NEW.name, NEW.disabled_at))
  EXECUTE FUNCTION "users_tell_logins"();
