CREATE INDEX `logins_live` ON `logins` (`id`,`ended_at`,`expires_at`,`user_id`);--> statement-breakpoint
CREATE INDEX `users_live` ON `users` (`id`,`disabled_at`,`email`,`email_verified`,`name`);