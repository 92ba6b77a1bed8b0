CREATE TABLE "terms_answers" (
	"user_id" text NOT NULL,
	"version" text NOT NULL,
	"url" text NOT NULL,
	"accepted" boolean NOT NULL,
	"answered_at" bigint NOT NULL,
	"ip_address" text,
	CONSTRAINT "terms_answers_user_id_version_pk" PRIMARY KEY("user_id","version")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "profile" jsonb;--> statement-breakpoint
ALTER TABLE "terms_answers" ADD CONSTRAINT "terms_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;