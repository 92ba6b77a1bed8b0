CREATE INDEX `audit_failures` ON `audit_events` (`at`) WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX `audit_failures_by_app` ON `audit_events` (`app_id`,`at`) WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX `audit_failures_by_action` ON `audit_events` (`action`,`at`) WHERE result = 'failure';