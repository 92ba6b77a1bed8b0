CREATE TABLE `approval_notices` (
	`app_id` text PRIMARY KEY NOT NULL,
	`sent_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `audit_senders` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL,
	`number` integer NOT NULL,
	`newest_at` integer NOT NULL,
	`holder` text,
	`lease_until` integer
);
--> statement-breakpoint
CREATE TABLE `audit_sendings` (
	`number` integer PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `personal_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`digest` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`resource` text,
	`hosts` text NOT NULL,
	`two_factors` integer NOT NULL,
	`time_zone` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`ended_at` integer,
	`end_reason` text,
	`warned_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `personal_tokens_digest` ON `personal_tokens` (`digest`);--> statement-breakpoint
CREATE INDEX `personal_tokens_user_id` ON `personal_tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `personal_tokens_app_id` ON `personal_tokens` (`app_id`);--> statement-breakpoint
CREATE INDEX `personal_tokens_expires_at` ON `personal_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `proxy_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `proxy_hosts_client_id` ON `proxy_hosts` (`client_id`);--> statement-breakpoint
CREATE TABLE `proxy_logins` (
	`digest` text PRIMARY KEY NOT NULL,
	`login_id` text NOT NULL,
	`client_id` text NOT NULL,
	`host` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`login_id`) REFERENCES `logins`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `proxy_logins_login_id` ON `proxy_logins` (`login_id`);--> statement-breakpoint
CREATE INDEX `proxy_logins_client_id` ON `proxy_logins` (`client_id`);--> statement-breakpoint
CREATE INDEX `proxy_logins_expires_at` ON `proxy_logins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `refused_sign_ups` (
	`digest` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`refused_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `refused_sign_ups_refused_at` ON `refused_sign_ups` (`refused_at`);--> statement-breakpoint
CREATE INDEX `refused_sign_ups_app_id` ON `refused_sign_ups` (`app_id`);--> statement-breakpoint
CREATE TABLE `terms_answers` (
	`user_id` text NOT NULL,
	`version` text NOT NULL,
	`url` text NOT NULL,
	`accepted` integer NOT NULL,
	`answered_at` integer NOT NULL,
	`ip_address` text,
	PRIMARY KEY(`user_id`, `version`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `audit_events` ADD `written_in` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `kept_until` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `launch_url` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `proxy` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `login_idle_seconds` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `login_absolute_seconds` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `max_logins` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `refresh_grace_seconds` integer;--> statement-breakpoint
ALTER TABLE `logins` ADD `browser_digest` text;--> statement-breakpoint
ALTER TABLE `passwords` ADD `set_at` integer;--> statement-breakpoint
ALTER TABLE `passwords` ADD `must_change_at` integer;--> statement-breakpoint
ALTER TABLE `passwords` ADD `must_change_email` text;--> statement-breakpoint
CREATE INDEX `passwords_must_change` ON `passwords` (`user_id`) WHERE must_change_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `known_browser_digest` text;--> statement-breakpoint
ALTER TABLE `users` ADD `pending_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `profile` text;--> statement-breakpoint
CREATE INDEX `users_pending` ON `users` (`app_id`,`created_at`,`id`) WHERE pending_at IS NOT NULL;