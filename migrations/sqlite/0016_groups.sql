CREATE TABLE `group_members` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`),
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `group_members_user_id` ON `group_members` (`user_id`,`group_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_app_id_name` ON `groups` (`app_id`,`name`);--> statement-breakpoint
DROP INDEX `logins_live`;--> statement-breakpoint
ALTER TABLE `logins` ADD `claims_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `logins_live` ON `logins` (`id`,`expires_at`,`ended_at`,`user_disabled_at`,`user_id`,`user_email`,`user_email_verified`,`user_name`,`claims_version`) WHERE ended_at IS NULL AND user_disabled_at IS NULL;--> statement-breakpoint
ALTER TABLE `applications` ADD `claims` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `allowed_groups` text;--> statement-breakpoint
ALTER TABLE `users` ADD `public_metadata` text;--> statement-breakpoint
ALTER TABLE `users` ADD `private_metadata` text;