CREATE TABLE "deleted_applications" (
	"id" text PRIMARY KEY NOT NULL,
	"deleted_at" bigint NOT NULL
);
--> statement-breakpoint
-- Deleted before there was this table, as far as the audit log still knows.
INSERT INTO deleted_applications (id, deleted_at)
  SELECT app_id, max(at) FROM audit_events
  WHERE action = 'application.delete' AND result = 'success' AND app_id IS NOT NULL
    AND app_id NOT IN (SELECT id FROM applications)
  GROUP BY app_id;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "proofs" jsonb;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "proofs" jsonb;