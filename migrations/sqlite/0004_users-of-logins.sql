ALTER TABLE `logins` ADD `user_email` text;--> statement-breakpoint
ALTER TABLE `logins` ADD `user_email_verified` integer;--> statement-breakpoint
ALTER TABLE `logins` ADD `user_name` text;--> statement-breakpoint
ALTER TABLE `logins` ADD `user_disabled_at` integer;--> statement-breakpoint
-- What a login says of its user is the database's to keep (docs/decisions/0027). A login that brings it was copied from another database.
CREATE TRIGGER `logins_take_user` AFTER INSERT ON `logins` WHEN NEW.user_email_verified IS NULL AND NEW.ended_at IS NULL
BEGIN
  UPDATE logins
    SET user_email = users.email, user_email_verified = users.email_verified, user_name = users.name, user_disabled_at = users.disabled_at
    FROM users WHERE users.id = NEW.user_id AND logins.id = NEW.id;
END;--> statement-breakpoint
CREATE TRIGGER `users_tell_logins` AFTER UPDATE OF `email`, `email_verified`, `name`, `disabled_at` ON `users`
  WHEN OLD.email IS NOT NEW.email OR OLD.email_verified IS NOT NEW.email_verified OR OLD.name IS NOT NEW.name OR OLD.disabled_at IS NOT NEW.disabled_at
BEGIN
  UPDATE logins
    SET user_email = NEW.email, user_email_verified = NEW.email_verified, user_name = NEW.name, user_disabled_at = NEW.disabled_at
    WHERE user_id = NEW.id AND ended_at IS NULL;
END;
