ALTER TABLE `audit_events` ADD `target` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `changes` text;