CREATE INDEX "audit_events_by_app" ON "audit_events" USING btree ("app_id","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_action" ON "audit_events" USING btree ("action","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_address" ON "audit_events" USING btree ("ip_address","at") WHERE ip_address IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_events_by_actor" ON "audit_events" USING btree ("actor","at") WHERE actor < 'user:';--> statement-breakpoint
CREATE INDEX "users_by_creation" ON "users" USING btree ("app_id","created_at","id");--> statement-breakpoint
CREATE INDEX "users_by_name" ON "users" USING btree ("app_id",(CASE WHEN "name" IS NULL THEN '' ELSE lower("name" COLLATE "C") END),"id");--> statement-breakpoint
CREATE INDEX "users_by_last_login" ON "users" USING btree ("app_id",(CASE WHEN "last_login_at" IS NULL THEN 0 ELSE "last_login_at" END),"id");--> statement-breakpoint
CREATE INDEX "users_disabled" ON "users" USING btree ("app_id","created_at","id") WHERE disabled_at IS NOT NULL;