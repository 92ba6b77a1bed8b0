ALTER TABLE "browser_sessions" ADD COLUMN "proven_elsewhere_at" bigint;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "proven_elsewhere_at" bigint;--> statement-breakpoint
ALTER TABLE "oauth_providers" ADD COLUMN "email_claim" text;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "proven_elsewhere_at" bigint;