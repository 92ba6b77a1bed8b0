CREATE TABLE `rate_limit_counts` (
	`digest` text PRIMARY KEY NOT NULL,
	`ends_at` integer NOT NULL,
	`used` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_limit_counts_ends_at` ON `rate_limit_counts` (`ends_at`);