CREATE TABLE "audit_senders" (
	"name" text PRIMARY KEY NOT NULL,
	"cursor" jsonb NOT NULL,
	"number" bigint NOT NULL,
	"newest_at" bigint NOT NULL,
	"holder" text,
	"lease_until" bigint
);
--> statement-breakpoint
CREATE TABLE "audit_sendings" (
	"number" bigint PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "written_in" "xid8" DEFAULT pg_current_xact_id();--> statement-breakpoint
CREATE INDEX "audit_events_written_in" ON "audit_events" USING btree ("written_in");