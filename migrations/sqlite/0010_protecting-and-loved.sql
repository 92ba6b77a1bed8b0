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
ALTER TABLE `users` ADD `profile` text;