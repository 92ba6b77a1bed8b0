ALTER TABLE `browser_sessions` ADD `proven_elsewhere_at` integer;--> statement-breakpoint
ALTER TABLE `logins` ADD `proven_elsewhere_at` integer;--> statement-breakpoint
ALTER TABLE `oauth_providers` ADD `email_claim` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `proven_elsewhere_at` integer;