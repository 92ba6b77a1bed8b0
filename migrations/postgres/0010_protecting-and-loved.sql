CREATE TABLE "approval_notices" (
	"app_id" text PRIMARY KEY NOT NULL,
	"sent_at" bigint NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "personal_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text NOT NULL,
	"digest" text NOT NULL,
	"name" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"resource" text,
	"hosts" jsonb NOT NULL,
	"two_factors" boolean NOT NULL,
	"time_zone" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"last_used_at" bigint,
	"ended_at" bigint,
	"end_reason" text,
	"warned_at" bigint
);
--> statement-breakpoint
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
CREATE TABLE "refused_sign_ups" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"refused_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "terms_answers" (
	"user_id" text NOT NULL,
	"version" text NOT NULL,
	"url" text NOT NULL,
	"accepted" boolean NOT NULL,
	"answered_at" bigint NOT NULL,
	"ip_address" text,
	CONSTRAINT "terms_answers_user_id_version_pk" PRIMARY KEY("user_id","version")
);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "written_in" "xid8" DEFAULT pg_current_xact_id();--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "kept_until" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "launch_url" text;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "proxy" jsonb;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "login_idle_seconds" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "login_absolute_seconds" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "max_logins" bigint;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "refresh_grace_seconds" bigint;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "browser_digest" text;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "set_at" bigint;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "must_change_at" bigint;--> statement-breakpoint
ALTER TABLE "passwords" ADD COLUMN "must_change_email" text;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "known_browser_digest" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "pending_at" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "profile" jsonb;--> statement-breakpoint
ALTER TABLE "approval_notices" ADD CONSTRAINT "approval_notices_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "personal_tokens" ADD CONSTRAINT "personal_tokens_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "personal_tokens" ADD CONSTRAINT "personal_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proxy_hosts" ADD CONSTRAINT "proxy_hosts_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proxy_logins" ADD CONSTRAINT "proxy_logins_login_id_logins_id_fk" FOREIGN KEY ("login_id") REFERENCES "public"."logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proxy_logins" ADD CONSTRAINT "proxy_logins_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refused_sign_ups" ADD CONSTRAINT "refused_sign_ups_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "terms_answers" ADD CONSTRAINT "terms_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "personal_tokens_digest" ON "personal_tokens" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "personal_tokens_user_id" ON "personal_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "personal_tokens_app_id" ON "personal_tokens" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "personal_tokens_expires_at" ON "personal_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "proxy_hosts_client_id" ON "proxy_hosts" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_login_id" ON "proxy_logins" USING btree ("login_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_client_id" ON "proxy_logins" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "proxy_logins_expires_at" ON "proxy_logins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "refused_sign_ups_refused_at" ON "refused_sign_ups" USING btree ("refused_at");--> statement-breakpoint
CREATE INDEX "refused_sign_ups_app_id" ON "refused_sign_ups" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "audit_events_written_in" ON "audit_events" USING btree ("written_in");--> statement-breakpoint
CREATE INDEX "passwords_must_change" ON "passwords" USING btree ("user_id") WHERE must_change_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "users_pending" ON "users" USING btree ("app_id","created_at","id") WHERE pending_at IS NOT NULL;