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
ALTER TABLE `browser_sessions` ADD `kept_until` integer;--> statement-breakpoint
ALTER TABLE `clients` ADD `proxy` text;