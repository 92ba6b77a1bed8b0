CREATE TABLE "organization_factor_failures" (
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"app_id" text NOT NULL,
	"failures" bigint NOT NULL,
	"last_failed_at" bigint NOT NULL,
	CONSTRAINT "organization_factor_failures_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "organization_identities" (
	"organization_id" text NOT NULL,
	"app_id" text NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"email" text,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint,
	CONSTRAINT "organization_identities_organization_id_issuer_subject_pk" PRIMARY KEY("organization_id","issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "organization_providers" (
	"organization_id" text NOT NULL,
	"app_id" text NOT NULL,
	"state" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"encrypted_secret" text NOT NULL,
	"fixed_addresses" boolean NOT NULL,
	"trusts_second_factor" text,
	"session_seconds" bigint NOT NULL,
	"required_since" bigint,
	"proofs_from" bigint NOT NULL,
	"setter_id" text,
	"setup_link_id" text,
	"tried_at" bigint,
	"works_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"failing_since" bigint,
	"failed_at" bigint,
	"failure" text,
	"failure_mailed_at" bigint,
	CONSTRAINT "organization_providers_organization_id_state_pk" PRIMARY KEY("organization_id","state")
);
--> statement-breakpoint
CREATE TABLE "organization_relinks" (
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"app_id" text NOT NULL,
	"opened_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"asks_owner" boolean NOT NULL,
	"agreed_at" bigint,
	CONSTRAINT "organization_relinks_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "organization_setup_links" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"app_id" text NOT NULL,
	"digest" text NOT NULL,
	"email" text NOT NULL,
	"maker_id" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"ended_at" bigint,
	"code_digest" text,
	"code_tries" bigint NOT NULL,
	"code_expires_at" bigint,
	"browser_digest" text,
	"open_until" bigint
);
--> statement-breakpoint
CREATE TABLE "organization_visits" (
	"digest" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"app_id" text NOT NULL,
	"issuer" text NOT NULL,
	"purpose" text NOT NULL,
	"encrypted_session_id" text,
	"user_id" text,
	"browser_digest" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD COLUMN "organization_proofs" jsonb;--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "company_sign_in" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "logins" ADD COLUMN "organization_proofs" jsonb;--> statement-breakpoint
ALTER TABLE "organization_domains" ADD COLUMN "setup_link_id" text;--> statement-breakpoint
ALTER TABLE "organization_invitations" ADD COLUMN "provider_exempt" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "organization_members" ADD COLUMN "provider_exempt" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "resources" ADD COLUMN "company_sign_in" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "organization_proofs" jsonb;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD COLUMN "company_identity" jsonb;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "mailed_method_at" bigint;--> statement-breakpoint
ALTER TABLE "organization_factor_failures" ADD CONSTRAINT "organization_factor_failures_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_factor_failures" ADD CONSTRAINT "organization_factor_failures_of_user" FOREIGN KEY ("user_id","app_id") REFERENCES "public"."users"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_identities" ADD CONSTRAINT "organization_identities_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_identities" ADD CONSTRAINT "organization_identities_of_user" FOREIGN KEY ("user_id","app_id") REFERENCES "public"."users"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_providers" ADD CONSTRAINT "organization_providers_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_relinks" ADD CONSTRAINT "organization_relinks_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_relinks" ADD CONSTRAINT "organization_relinks_of_user" FOREIGN KEY ("user_id","app_id") REFERENCES "public"."users"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_setup_links" ADD CONSTRAINT "organization_setup_links_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_visits" ADD CONSTRAINT "organization_visits_of_organization" FOREIGN KEY ("organization_id","app_id") REFERENCES "public"."organizations"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_visits" ADD CONSTRAINT "organization_visits_of_user" FOREIGN KEY ("user_id","app_id") REFERENCES "public"."users"("id","app_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "organization_factor_failures_user_id" ON "organization_factor_failures" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "organization_identities_user" ON "organization_identities" USING btree ("organization_id","issuer","user_id");--> statement-breakpoint
CREATE INDEX "organization_identities_user_id" ON "organization_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "organization_providers_app_id" ON "organization_providers" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "organization_providers_works_at" ON "organization_providers" USING btree ("works_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "organization_relinks_expires_at" ON "organization_relinks" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "organization_relinks_user_id" ON "organization_relinks" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "organization_setup_links_digest" ON "organization_setup_links" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "organization_setup_links_expires_at" ON "organization_setup_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "organization_setup_links_organization" ON "organization_setup_links" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "organization_visits_expires_at" ON "organization_visits" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "logins_confined" ON "logins" USING btree ("organization_id") WHERE signed_in_with = 'organization';