ALTER TABLE "audit_events" ADD COLUMN "target" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "changes" jsonb;--> statement-breakpoint
CREATE INDEX "audit_events_by_target" ON "audit_events" USING btree ("target","at") WHERE target IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_events_by_request" ON "audit_events" USING btree ("request_id") WHERE request_id IS NOT NULL;