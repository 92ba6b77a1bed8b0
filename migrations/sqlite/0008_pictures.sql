CREATE TABLE `pictures` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`app_id` text,
	`client_id` text,
	`type` text NOT NULL,
	`digest` text NOT NULL,
	`ground` text,
	`bytes` blob NOT NULL,
	`updated_at` integer NOT NULL,
	`undo_until` integer,
	`previous_address` text,
	`previous_type` text,
	`previous_bytes` blob,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pictures_user_id` ON `pictures` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `pictures_app_id` ON `pictures` (`app_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `pictures_client_id` ON `pictures` (`client_id`);--> statement-breakpoint
CREATE INDEX `pictures_undo_until` ON `pictures` (`undo_until`);