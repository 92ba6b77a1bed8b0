ALTER TABLE `clients` ADD `login_idle_seconds` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `login_absolute_seconds` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `max_logins` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `refresh_grace_seconds` integer;--> statement-breakpoint
ALTER TABLE `logins` ADD `browser_digest` text;--> statement-breakpoint
ALTER TABLE `passwords` ADD `set_at` integer;--> statement-breakpoint
ALTER TABLE `passwords` ADD `must_change_at` integer;--> statement-breakpoint
ALTER TABLE `passwords` ADD `must_change_email` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `known_browser_digest` text;