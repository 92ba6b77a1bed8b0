DROP INDEX `sign_in_sessions_account_user_id`;--> statement-breakpoint
CREATE INDEX `sign_in_sessions_account_user_id` ON `sign_in_sessions` (`account_user_id`) WHERE account_user_id IS NOT NULL;