ALTER TABLE "audit_events" ADD COLUMN "target" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "changes" jsonb;