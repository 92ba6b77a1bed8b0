DROP INDEX "oauth_identities_subject";--> statement-breakpoint
ALTER TABLE "oauth_identities" ADD COLUMN "issuer" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_identities_subject_issuer" ON "oauth_identities" USING btree ("app_id","provider","subject","issuer");--> statement-breakpoint
ALTER TABLE "oauth_providers" ADD COLUMN "trusts_email" boolean;--> statement-breakpoint
-- Last, because every sign-in waits for this table. Sessions that are there, and those of older nodes, may wait for a mail.
ALTER TABLE "sign_in_sessions" ADD COLUMN "pending_link" jsonb;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "awaits_mail" boolean DEFAULT true;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_codeless" ON "sign_in_sessions" USING btree ("expires_at") WHERE code_digest IS NULL AND awaits_mail IS NULL;
