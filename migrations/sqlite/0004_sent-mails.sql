CREATE TABLE `sent_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`sent_at` integer NOT NULL,
	`answer` text NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sent_mails_sent_at` ON `sent_mails` (`sent_at`,`id`);--> statement-breakpoint
CREATE INDEX `sent_mails_user_id` ON `sent_mails` (`user_id`,`sent_at`);--> statement-breakpoint
CREATE INDEX `sent_mails_app_id` ON `sent_mails` (`app_id`,`sent_at`);