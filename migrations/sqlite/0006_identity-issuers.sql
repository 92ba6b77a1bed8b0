DROP INDEX `oauth_identities_subject`;--> statement-breakpoint
ALTER TABLE `oauth_identities` ADD `issuer` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_identities_subject_issuer` ON `oauth_identities` (`app_id`,`provider`,`subject`,`issuer`);--> statement-breakpoint
ALTER TABLE `oauth_providers` ADD `trusts_email` integer;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `pending_link` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `awaits_mail` integer DEFAULT true;--> statement-breakpoint
CREATE INDEX `sign_in_sessions_codeless` ON `sign_in_sessions` (`expires_at`) WHERE code_digest IS NULL AND awaits_mail IS NULL;
