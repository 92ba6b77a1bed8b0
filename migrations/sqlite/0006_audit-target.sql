ALTER TABLE `audit_events` ADD `target` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `changes` text;--> statement-breakpoint
CREATE INDEX `audit_events_by_target` ON `audit_events` (`target`,`at`) WHERE target IS NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_events_by_request` ON `audit_events` (`request_id`) WHERE request_id IS NOT NULL;