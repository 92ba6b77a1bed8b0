CREATE TABLE `revocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`written_in` text,
	`app_id` text NOT NULL,
	`login_id` text,
	`user_id` text,
	`key_id` text,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `revocations_app_id` ON `revocations` (`app_id`,`written_in`,`id`);--> statement-breakpoint
CREATE INDEX `revocations_at` ON `revocations` (`at`);