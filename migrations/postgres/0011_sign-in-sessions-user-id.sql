DROP INDEX "sign_in_sessions_user_id";--> statement-breakpoint
CREATE INDEX "sign_in_sessions_user_id" ON "sign_in_sessions" USING btree ("user_id") WHERE user_id IS NOT NULL;