-- The schema of 1.0.0.
CREATE TABLE "activity_counts" (
	"app_id" text NOT NULL,
	"span" text NOT NULL,
	"event" text NOT NULL,
	"starts_at" bigint NOT NULL,
	"kind" text NOT NULL,
	"shard" bigint NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "activity_counts_app_id_span_event_starts_at_kind_shard_pk" PRIMARY KEY("app_id","span","event","starts_at","kind","shard")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"key_digest" text NOT NULL,
	"label" text,
	"last_used_at" bigint,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"revoked_at" bigint
);
--> statement-breakpoint
CREATE TABLE "application_counters" (
	"app_id" text NOT NULL,
	"name" text NOT NULL,
	"day" bigint NOT NULL,
	"shard" bigint NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "application_counters_app_id_day_name_shard_pk" PRIMARY KEY("app_id","day","name","shard")
);
--> statement-breakpoint
CREATE TABLE "applications" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"domain" text,
	"redirect_uris" jsonb NOT NULL,
	"auth_methods" jsonb NOT NULL,
	"branding" jsonb NOT NULL,
	"settings" jsonb NOT NULL,
	"claims" jsonb,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" text PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"result" text NOT NULL,
	"app_id" text,
	"user_id" text,
	"ip_address" text,
	"request_id" text,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "authorization_requests" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"client_id" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "browser_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text NOT NULL,
	"tie" text NOT NULL,
	"signed_in_with" text NOT NULL,
	"signed_in_provider" text,
	"proofs" jsonb,
	"second_factor" text,
	"proven_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "client_documents" (
	"url" text PRIMARY KEY NOT NULL,
	"name" text,
	"digest" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"blocked_at" bigint
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
	"trusts" jsonb NOT NULL,
	"assertion_audience" text NOT NULL,
	"allowed_groups" jsonb,
	"resources" jsonb NOT NULL,
	"resource_scopes" jsonb,
	"exchange_to" jsonb NOT NULL,
	"audience_of" jsonb NOT NULL,
	"device_grant" boolean NOT NULL,
	"second_factor" text,
	"dpop" text,
	"dpop_nonce" boolean NOT NULL,
	"profile" text,
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
	"document" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "consents_user_id_client_id_pk" PRIMARY KEY("user_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "deleted_applications" (
	"id" text PRIMARY KEY NOT NULL,
	"deleted_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_requests" (
	"digest" text PRIMARY KEY NOT NULL,
	"user_code_digest" text NOT NULL,
	"near_digest" text NOT NULL,
	"app_id" text NOT NULL,
	"client_id" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"resource" text,
	"ip_address" text NOT NULL,
	"user_agent" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"interval_seconds" bigint NOT NULL,
	"polled_at" bigint,
	"wrong_tries" bigint NOT NULL,
	"allowed_at" bigint,
	"denied_at" bigint
);
--> statement-breakpoint
CREATE TABLE "email_tokens" (
	"digest" text PRIMARY KEY NOT NULL,
	"slot" text NOT NULL,
	"purpose" text NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text,
	"email" text NOT NULL,
	"encrypted_session_id" text,
	"code_digest" text NOT NULL,
	"code_tries" bigint NOT NULL,
	"payload" jsonb,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "facts" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"name" text,
	"second_factor" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "known_browsers" (
	"user_id" text NOT NULL,
	"digest" text NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "known_browsers_user_id_digest_pk" PRIMARY KEY("user_id","digest")
);
--> statement-breakpoint
CREATE TABLE "logins" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text NOT NULL,
	"signed_in_with" text NOT NULL,
	"actor" jsonb,
	"provider" text,
	"proofs" jsonb,
	"second_factor" text,
	"scopes" jsonb NOT NULL,
	"public_client" boolean NOT NULL,
	"client_id" text,
	"claims_request" jsonb,
	"resource" text,
	"proof_key" text,
	"signed_in_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"browser_session_digest" text,
	"generation" bigint NOT NULL,
	"refresh_digest" text NOT NULL,
	"previous_digest" text,
	"refreshed_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"ended_at" bigint,
	"end_reason" text,
	"claims_version" bigint DEFAULT 0 NOT NULL,
	"user_email" text,
	"user_email_verified" boolean,
	"user_name" text,
	"user_disabled_at" bigint
);
--> statement-breakpoint
CREATE TABLE "mail_allowances" (
	"account_digest" text PRIMARY KEY NOT NULL,
	"sent" bigint NOT NULL,
	"since" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text,
	"kind" text NOT NULL,
	"encrypted_mail" text NOT NULL,
	"attempts" bigint NOT NULL,
	"next_attempt_at" bigint NOT NULL,
	"lease_until" bigint,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "oauth_identities" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"user_id" text NOT NULL,
	"provider" text NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "oauth_providers" (
	"app_id" text NOT NULL,
	"name" text NOT NULL,
	"client_id" text NOT NULL,
	"encrypted_secret" text NOT NULL,
	"team_id" text,
	"key_id" text,
	"issuer" text,
	"authorization_url" text,
	"token_url" text,
	"userinfo_url" text,
	"jwks_url" text,
	"trusts_email" boolean,
	"trusts_second_factor" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "oauth_providers_app_id_name_pk" PRIMARY KEY("app_id","name")
);
--> statement-breakpoint
CREATE TABLE "oauth_states" (
	"digest" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"adds" boolean NOT NULL,
	"encrypted_session_id" text NOT NULL,
	"browser_digest" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"login_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"user_id" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkey_challenges" (
	"digest" text PRIMARY KEY NOT NULL,
	"session_digest" text NOT NULL,
	"browser_digest" text NOT NULL,
	"ceremony" text NOT NULL,
	"user_handle" text,
	"email" text,
	"name" text,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"sign_count" bigint NOT NULL,
	"transports" jsonb NOT NULL,
	"aaguid" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"backup_eligible" boolean,
	"discoverable" boolean NOT NULL,
	"name" text NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "password_failures" (
	"account_digest" text PRIMARY KEY NOT NULL,
	"failures" bigint NOT NULL,
	"blocked_until" bigint NOT NULL,
	"admitted" boolean NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passwords" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "rate_limit_counts" (
	"digest" text PRIMARY KEY NOT NULL,
	"ends_at" bigint NOT NULL,
	"used" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "recovery_codes_user_id_digest_pk" PRIMARY KEY("user_id","digest")
);
--> statement-breakpoint
CREATE TABLE "resources" (
	"identifier" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"access_token_seconds" bigint NOT NULL,
	"client_documents" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "revocations" (
	"id" bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (sequence name "revocations_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"written_in" "xid8" DEFAULT pg_current_xact_id(),
	"app_id" text NOT NULL,
	"login_id" text,
	"user_id" text,
	"key_id" text,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"user_id" text PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL,
	"encrypted_secret" text,
	"last_step" bigint NOT NULL,
	"set_up_at" bigint,
	"last_used_at" bigint,
	"checked_at" bigint,
	"failures" bigint NOT NULL,
	"blocked_until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_sessions" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"purpose" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"state" text,
	"auth_method" text,
	"provider" text,
	"scopes" jsonb NOT NULL,
	"code_challenge" text,
	"login_hint" text,
	"locale" text,
	"account_user_id" text,
	"adds" text,
	"adds_provider" text,
	"invite_digest" text,
	"authorization" jsonb,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"browser_digest" text,
	"proven_user_id" text,
	"proven_with" text,
	"proven_provider" text,
	"proven_at" bigint,
	"pending_link" jsonb,
	"max_age" bigint,
	"acr" text,
	"recovery_digest" text,
	"second_factor" text,
	"awaits_mail" boolean,
	"user_id" text,
	"signed_in_with" text,
	"signed_in_provider" text,
	"signed_in_at" bigint,
	"proofs" jsonb,
	"ip_address" text,
	"user_agent" text,
	"browser_session_digest" text,
	"code_digest" text,
	"code_expires_at" bigint,
	"code_used_at" bigint,
	"login_id" text
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"algorithm" text NOT NULL,
	"generation" bigint NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"encrypted_private_jwk" text NOT NULL,
	"created_at" bigint NOT NULL,
	"signs_from" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trusted_browsers" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"digest" text NOT NULL,
	"epoch" bigint NOT NULL,
	"user_agent" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_assertions" (
	"digest" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"email" text,
	"email_verified" boolean NOT NULL,
	"name" text,
	"picture" text,
	"handle" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"disabled_at" bigint,
	"last_login_at" bigint,
	"previous_login_at" bigint,
	"login_count" bigint NOT NULL,
	"last_ip_address" text,
	"last_user_agent" text,
	"locale" text,
	"passkey_declined_at" bigint,
	"public_metadata" jsonb,
	"private_metadata" jsonb
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"kind" text NOT NULL,
	"occurred_at" bigint NOT NULL,
	"user_id" text,
	"email" text,
	"auth_method" text,
	"ip_address" text,
	"user_agent" text,
	"session_id" text,
	"status" text NOT NULL,
	"attempts" bigint NOT NULL,
	"history" jsonb NOT NULL,
	"next_attempt_at" bigint,
	"lease_until" bigint,
	CONSTRAINT "webhook_deliveries_endpoint_id_event_id_pk" PRIMARY KEY("endpoint_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"client_id" text,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"encrypted_secret" text NOT NULL,
	"encrypted_old_secret" text,
	"old_secret_until" bigint,
	"enabled" boolean NOT NULL,
	"disabled_reason" text,
	"failing_since" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "application_counters" ADD CONSTRAINT "application_counters_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authorization_requests" ADD CONSTRAINT "authorization_requests_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD CONSTRAINT "browser_sessions_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD CONSTRAINT "browser_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_secrets" ADD CONSTRAINT "client_secrets_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "clients" ADD CONSTRAINT "clients_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "consents" ADD CONSTRAINT "consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_requests" ADD CONSTRAINT "device_requests_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_tokens" ADD CONSTRAINT "email_tokens_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_tokens" ADD CONSTRAINT "email_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_browsers" ADD CONSTRAINT "known_browsers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logins" ADD CONSTRAINT "logins_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logins" ADD CONSTRAINT "logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_identities" ADD CONSTRAINT "oauth_identities_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_identities" ADD CONSTRAINT "oauth_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_providers" ADD CONSTRAINT "oauth_providers_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operators" ADD CONSTRAINT "operators_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkey_challenges" ADD CONSTRAINT "passkey_challenges_session_digest_sign_in_sessions_digest_fk" FOREIGN KEY ("session_digest") REFERENCES "public"."sign_in_sessions"("digest") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passwords" ADD CONSTRAINT "passwords_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resources" ADD CONSTRAINT "resources_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD CONSTRAINT "sign_in_sessions_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD CONSTRAINT "sign_in_sessions_account_user_id_users_id_fk" FOREIGN KEY ("account_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD CONSTRAINT "sign_in_sessions_proven_user_id_users_id_fk" FOREIGN KEY ("proven_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_sessions" ADD CONSTRAINT "sign_in_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusted_browsers" ADD CONSTRAINT "trusted_browsers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activity_counts_shards" ON "activity_counts" USING btree ("starts_at") WHERE shard > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_key_digest" ON "api_keys" USING btree ("key_digest");--> statement-breakpoint
CREATE INDEX "api_keys_app_id" ON "api_keys" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "application_counters_day" ON "application_counters" USING btree ("day");--> statement-breakpoint
CREATE INDEX "audit_events_at" ON "audit_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_events_user_id" ON "audit_events" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_app" ON "audit_events" USING btree ("app_id","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_app_action" ON "audit_events" USING btree ("app_id","action","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_action" ON "audit_events" USING btree ("action","at");--> statement-breakpoint
CREATE INDEX "audit_events_by_address" ON "audit_events" USING btree ("ip_address","at") WHERE ip_address IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_events_by_actor" ON "audit_events" USING btree ("actor","at") WHERE actor < 'user:';--> statement-breakpoint
CREATE INDEX "audit_failures" ON "audit_events" USING btree ("at") WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX "audit_failures_by_app" ON "audit_events" USING btree ("app_id","at") WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX "audit_failures_by_action" ON "audit_events" USING btree ("action","at") WHERE result = 'failure';--> statement-breakpoint
CREATE INDEX "authorization_requests_expires_at" ON "authorization_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "authorization_requests_app_id" ON "authorization_requests" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "browser_sessions_user_id" ON "browser_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "browser_sessions_tie" ON "browser_sessions" USING btree ("tie");--> statement-breakpoint
CREATE INDEX "browser_sessions_expires_at" ON "browser_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "client_secrets_secret_digest" ON "client_secrets" USING btree ("secret_digest");--> statement-breakpoint
CREATE INDEX "client_secrets_client_id" ON "client_secrets" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "clients_app_id" ON "clients" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "consents_client_id" ON "consents" USING btree ("client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_requests_user_code_digest" ON "device_requests" USING btree ("user_code_digest");--> statement-breakpoint
CREATE INDEX "device_requests_near_digest" ON "device_requests" USING btree ("near_digest");--> statement-breakpoint
CREATE INDEX "device_requests_expires_at" ON "device_requests" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "device_requests_app_id" ON "device_requests" USING btree ("app_id");--> statement-breakpoint
CREATE UNIQUE INDEX "email_tokens_slot" ON "email_tokens" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "email_tokens_user_id" ON "email_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "email_tokens_app_id" ON "email_tokens" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "email_tokens_expires_at" ON "email_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "group_members_user_id" ON "group_members" USING btree ("user_id","group_id");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_app_id_name" ON "groups" USING btree ("app_id","name");--> statement-breakpoint
CREATE INDEX "known_browsers_expires_at" ON "known_browsers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "logins_user_id" ON "logins" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "logins_app_id" ON "logins" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "logins_expires_at" ON "logins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "logins_client_id" ON "logins" USING btree ("client_id") WHERE client_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "mail_allowances_since" ON "mail_allowances" USING btree ("since");--> statement-breakpoint
CREATE INDEX "mails_next_attempt_at" ON "mails" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "mails_expires_at" ON "mails" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mails_user_id" ON "mails" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mails_app_id" ON "mails" USING btree ("app_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_identities_issuer_subject" ON "oauth_identities" USING btree ("app_id","provider","issuer","subject");--> statement-breakpoint
CREATE INDEX "oauth_identities_user_id" ON "oauth_identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_states_expires_at" ON "oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_user_id" ON "operator_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "operator_sessions_seen_at" ON "operator_sessions" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "passkey_challenges_expires_at" ON "passkey_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "passkey_challenges_session_digest" ON "passkey_challenges" USING btree ("session_digest");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential_id" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_user_id" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "password_failures_updated_at" ON "password_failures" USING btree ("updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "passwords_user_id" ON "passwords" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "rate_limit_counts_ends_at" ON "rate_limit_counts" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "resources_app_id" ON "resources" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "revocations_app_id" ON "revocations" USING btree ("app_id","written_in","id");--> statement-breakpoint
CREATE INDEX "revocations_at" ON "revocations" USING btree ("at");--> statement-breakpoint
CREATE INDEX "sign_in_sessions_codeless" ON "sign_in_sessions" USING btree ("expires_at") WHERE code_digest IS NULL AND awaits_mail IS NULL;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_expires_at" ON "sign_in_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_sessions_code_digest" ON "sign_in_sessions" USING btree ("code_digest") WHERE code_digest IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_user_id" ON "sign_in_sessions" USING btree ("user_id") WHERE user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_account_user_id" ON "sign_in_sessions" USING btree ("account_user_id") WHERE account_user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_proven_user_id" ON "sign_in_sessions" USING btree ("proven_user_id") WHERE proven_user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sign_in_sessions_app_id" ON "sign_in_sessions" USING btree ("app_id");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_algorithm_generation" ON "signing_keys" USING btree ("algorithm","generation");--> statement-breakpoint
CREATE INDEX "trusted_browsers_user_id" ON "trusted_browsers" USING btree ("user_id","digest");--> statement-breakpoint
CREATE INDEX "trusted_browsers_expires_at" ON "trusted_browsers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "used_assertions_expires_at" ON "used_assertions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_app_id_email" ON "users" USING btree ("app_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "users_handle" ON "users" USING btree ("handle");--> statement-breakpoint
CREATE INDEX "users_by_creation" ON "users" USING btree ("app_id","created_at","id");--> statement-breakpoint
CREATE INDEX "users_by_name" ON "users" USING btree ("app_id",(CASE WHEN "name" IS NULL THEN '' ELSE lower("name" COLLATE "C") END),"id");--> statement-breakpoint
CREATE INDEX "users_by_last_login" ON "users" USING btree ("app_id",(CASE WHEN "last_login_at" IS NULL THEN 0 ELSE "last_login_at" END),"id");--> statement-breakpoint
CREATE INDEX "users_disabled" ON "users" USING btree ("app_id","created_at","id") WHERE disabled_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","next_attempt_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_occurred_at" ON "webhook_deliveries" USING btree ("occurred_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_user_id" ON "webhook_deliveries" USING btree ("user_id","occurred_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_app_id" ON "webhook_endpoints" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_client_id" ON "webhook_endpoints" USING btree ("client_id");--> statement-breakpoint

-- Written by hand from here on, because drizzle-kit knows neither unlogged tables nor triggers.
-- Counts may be lost when PostgreSQL crashes, and are written too often to be logged.
ALTER TABLE "rate_limit_counts" SET UNLOGGED;--> statement-breakpoint
-- The database itself keeps what a login holds of its user (docs/decisions/0027).
CREATE FUNCTION "logins_take_user"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- Locked: whoever changes the user at the same moment has finished, or sees this login.
  SELECT email, email_verified, name, disabled_at
    INTO NEW.user_email, NEW.user_email_verified, NEW.user_name, NEW.user_disabled_at
    FROM users WHERE id = NEW.user_id FOR SHARE;
  RETURN NEW;
END
$$;--> statement-breakpoint
-- A login that brings it was copied from another database.
CREATE TRIGGER "logins_take_user" BEFORE INSERT ON "logins" FOR EACH ROW
  WHEN (NEW.user_email_verified IS NULL AND NEW.ended_at IS NULL) EXECUTE FUNCTION "logins_take_user"();--> statement-breakpoint
CREATE FUNCTION "users_tell_logins"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE logins
    SET user_email = NEW.email, user_email_verified = NEW.email_verified, user_name = NEW.name, user_disabled_at = NEW.disabled_at
    WHERE user_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "users_tell_logins" AFTER UPDATE OF "email", "email_verified", "name", "disabled_at" ON "users" FOR EACH ROW
  WHEN (ROW(OLD.email, OLD.email_verified, OLD.name, OLD.disabled_at) IS DISTINCT FROM ROW(NEW.email, NEW.email_verified, NEW.name, NEW.disabled_at))
  EXECUTE FUNCTION "users_tell_logins"();
