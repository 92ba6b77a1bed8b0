ALTER TABLE `logins` ADD `actor` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `invite_digest` text;