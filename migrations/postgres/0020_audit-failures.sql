CREATE INDEX "audit_failures" ON "audit_events" USING btree ("at") WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX "audit_failures_by_app" ON "audit_events" USING btree ("app_id","at") WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX "audit_failures_by_action" ON "audit_events" USING btree ("action","at") WHERE result = 'failure';