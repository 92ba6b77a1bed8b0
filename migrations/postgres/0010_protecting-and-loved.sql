ALTER TABLE "clients" ADD COLUMN "login_idle_seconds" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "login_absolute_seconds" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "max_logins" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "refresh_grace_seconds" bigint;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "browser_digest" text;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "set_at" bigint;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "must_change_at" bigint;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "must_change_email" text;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "known_browser_digest" text;