ALTER TABLE "logins" ADD COLUMN "actor" jsonb;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "invite_digest" text;