CREATE TABLE `audit_senders` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL,
	`number` integer NOT NULL,
	`newest_at` integer NOT NULL,
	`holder` text,
	`lease_until` integer
);
--> statement-breakpoint
CREATE TABLE `audit_sendings` (
	`number` integer PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `audit_events` ADD `written_in` text;