DROP INDEX `sign_in_sessions_code_digest`;--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_sessions_code_digest` ON `sign_in_sessions` (`code_digest`) WHERE code_digest IS NOT NULL;