CREATE TABLE `approval_notices` (
	`app_id` text PRIMARY KEY NOT NULL,
	`sent_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `refused_sign_ups` (
	`digest` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`refused_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `refused_sign_ups_refused_at` ON `refused_sign_ups` (`refused_at`);--> statement-breakpoint
CREATE INDEX `refused_sign_ups_app_id` ON `refused_sign_ups` (`app_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `pending_at` integer;--> statement-breakpoint
CREATE INDEX `users_pending` ON `users` (`app_id`,`created_at`,`id`) WHERE pending_at IS NOT NULL;