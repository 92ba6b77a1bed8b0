CREATE TABLE "authorization_requests" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"client_id" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "client_secrets" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"secret_digest" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "clients" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"redirect_uris" jsonb NOT NULL,
	"post_logout_redirect_uris" jsonb NOT NULL,
	"backchannel_logout_uri" text,
	"scopes" jsonb NOT NULL,
	"consent" text NOT NULL,
	"require_pkce" boolean NOT NULL,
	"id_token_alg" text NOT NULL,
	"id_token_claims" text NOT NULL,
	"refresh_tokens" text NOT NULL,
	"jwks" jsonb,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"last_used_at" bigint,
	"disabled_at" bigint
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"user_id" text NOT NULL,
	"client_id" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "consents_user_id_client_id_pk" PRIMARY KEY("user_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "used_assertions" (
	"digest" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "signed_in_provider" text;--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "proofs" jsonb;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "claims_request" jsonb;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "authorization" jsonb;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "authorization_requests" ADD CONSTRAINT "authorization_requests_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clients" ADD CONSTRAINT "clients_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "authorization_requests_expires_at" ON "authorization_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "authorization_requests_app_id" ON "authorization_requests" USING btree ("app_id");--> statement-breakpoint
CREATE UNIQUE INDEX "client_secrets_secret_digest" ON "client_secrets" USING btree ("secret_digest");--> statement-breakpoint
CREATE INDEX "client_secrets_client_id" ON "client_secrets" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "clients_app_id" ON "clients" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "consents_client_id" ON "consents" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "used_assertions_expires_at" ON "used_assertions" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "logins_client_id" ON "logins" USING btree ("client_id") WHERE client_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_endpoints_client_id" ON "webhook_endpoints" USING btree ("client_id");