CREATE TABLE "proxy_hosts" (
	"host" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "proxy_logins" (
	"digest" text PRIMARY KEY NOT NULL,
	"login_id" text NOT NULL,
	"client_id" text NOT NULL,
	"host" text NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "kept_until" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "proxy" jsonb;--> statement-breakpoint
ALTER TABLE "proxy_hosts" ADD CONSTRAINT "proxy_hosts_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proxy_logins" ADD CONSTRAINT "proxy_logins_login_id_logins_id_fk" FOREIGN KEY ("login_id") REFERENCES "public"."logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proxy_logins" ADD CONSTRAINT "proxy_logins_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "proxy_hosts_client_id" ON "proxy_hosts" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_login_id" ON "proxy_logins" USING btree ("login_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_client_id" ON "proxy_logins" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_expires_at" ON "proxy_logins" USING btree ("expires_at");