DROP INDEX `sign_in_sessions_proven_user_id`;--> statement-breakpoint
CREATE INDEX `sign_in_sessions_proven_user_id` ON `sign_in_sessions` (`proven_user_id`) WHERE proven_user_id IS NOT NULL;