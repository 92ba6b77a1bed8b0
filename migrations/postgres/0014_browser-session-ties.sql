DROP INDEX "browser_sessions_app_id";--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "tie" text;--> statement-breakpoint
CREATE UNIQUE INDEX "browser_sessions_tie" ON "browser_sessions" USING btree ("tie");