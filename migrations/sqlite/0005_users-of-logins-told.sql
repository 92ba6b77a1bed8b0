DROP INDEX `users_live`;--> statement-breakpoint
DROP INDEX `logins_live`;--> statement-breakpoint
UPDATE logins
  SET user_email = users.email, user_email_verified = users.email_verified, user_name = users.name, user_disabled_at = users.disabled_at
  FROM users WHERE users.id = logins.user_id AND logins.ended_at IS NULL AND logins.user_email_verified IS NULL;--> statement-breakpoint
CREATE INDEX `logins_live` ON `logins` (`id`,`expires_at`,`ended_at`,`user_disabled_at`,`user_id`,`user_email`,`user_email_verified`,`user_name`) WHERE ended_at IS NULL AND user_disabled_at IS NULL;
