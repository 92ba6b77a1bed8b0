CREATE TABLE `user_search` (
	`user_id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`folded` text,
	`fold` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `user_search_newest` ON `user_search` (`created_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `user_search_newest_of_app` ON `user_search` (`app_id`,`created_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `user_search_stale` ON `user_search` (`created_at`,`user_id`,`app_id`) WHERE fold < 1;--> statement-breakpoint

-- Written by hand, because drizzle-kit knows no triggers: they say which users are to be folded, whoever writes them (docs/decisions/0079).
CREATE TRIGGER `users_begin_search` AFTER INSERT ON `users`
BEGIN
  INSERT INTO user_search (user_id, app_id, created_at, fold) VALUES (NEW.id, NEW.app_id, NEW.created_at, 0)
    ON CONFLICT (user_id) DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `users_change_search` AFTER UPDATE OF `app_id`, `email`, `name`, `created_at` ON `users`
  WHEN OLD.app_id IS NOT NEW.app_id OR OLD.email IS NOT NEW.email OR OLD.name IS NOT NEW.name OR OLD.created_at IS NOT NEW.created_at
BEGIN
  UPDATE user_search SET app_id = NEW.app_id, created_at = NEW.created_at, folded = NULL, fold = 0 WHERE user_id = NEW.id;
END;
