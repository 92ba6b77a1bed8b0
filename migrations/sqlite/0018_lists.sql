CREATE INDEX `audit_events_by_app` ON `audit_events` (`app_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_events_by_action` ON `audit_events` (`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_events_by_address` ON `audit_events` (`ip_address`,`at`) WHERE ip_address IS NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_events_by_actor` ON `audit_events` (`actor`,`at`) WHERE actor < 'user:';--> statement-breakpoint
CREATE INDEX `users_by_creation` ON `users` (`app_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `users_by_name` ON `users` (`app_id`,(CASE WHEN "name" IS NULL THEN '' ELSE lower("name") END),`id`);--> statement-breakpoint
CREATE INDEX `users_by_last_login` ON `users` (`app_id`,(CASE WHEN "last_login_at" IS NULL THEN 0 ELSE "last_login_at" END),`id`);--> statement-breakpoint
CREATE INDEX `users_disabled` ON `users` (`app_id`,`created_at`,`id`) WHERE disabled_at IS NOT NULL;