CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`key_digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_key_digest` ON `api_keys` (`key_digest`);--> statement-breakpoint
CREATE INDEX `api_keys_app_id` ON `api_keys` (`app_id`);--> statement-breakpoint
CREATE TABLE `applications` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`domain` text,
	`redirect_uris` text NOT NULL,
	`auth_methods` text NOT NULL,
	`branding` text NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`result` text NOT NULL,
	`app_id` text,
	`user_id` text,
	`ip_address` text,
	`request_id` text,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_events_at` ON `audit_events` (`at`);--> statement-breakpoint
CREATE TABLE `facts` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `logins` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`signed_in_with` text NOT NULL,
	`provider` text,
	`scopes` text NOT NULL,
	`public_client` integer NOT NULL,
	`signed_in_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`generation` integer NOT NULL,
	`refresh_digest` text NOT NULL,
	`previous_digest` text,
	`refreshed_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`end_reason` text,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `logins_user_id` ON `logins` (`user_id`);--> statement-breakpoint
CREATE INDEX `logins_app_id` ON `logins` (`app_id`);--> statement-breakpoint
CREATE INDEX `logins_expires_at` ON `logins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oauth_identities` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`user_id` text NOT NULL,
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`email` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_identities_subject` ON `oauth_identities` (`app_id`,`provider`,`subject`);--> statement-breakpoint
CREATE INDEX `oauth_identities_user_id` ON `oauth_identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `oauth_providers` (
	`app_id` text NOT NULL,
	`name` text NOT NULL,
	`client_id` text NOT NULL,
	`encrypted_secret` text NOT NULL,
	`team_id` text,
	`key_id` text,
	`issuer` text,
	`authorization_url` text,
	`token_url` text,
	`userinfo_url` text,
	`jwks_url` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `name`),
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `oauth_states` (
	`digest` text PRIMARY KEY NOT NULL,
	`provider` text NOT NULL,
	`encrypted_session_id` text NOT NULL,
	`browser_digest` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oauth_states_expires_at` ON `oauth_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey_challenges` (
	`digest` text PRIMARY KEY NOT NULL,
	`session_digest` text NOT NULL,
	`browser_digest` text NOT NULL,
	`ceremony` text NOT NULL,
	`user_handle` text,
	`email` text,
	`name` text,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`session_digest`) REFERENCES `sign_in_sessions`(`digest`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `passkey_challenges_expires_at` ON `passkey_challenges` (`expires_at`);--> statement-breakpoint
CREATE INDEX `passkey_challenges_session_digest` ON `passkey_challenges` (`session_digest`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`sign_count` integer NOT NULL,
	`transports` text NOT NULL,
	`aaguid` text NOT NULL,
	`backed_up` integer NOT NULL,
	`discoverable` integer NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_id` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_user_id` ON `passkeys` (`user_id`);--> statement-breakpoint
CREATE TABLE `password_failures` (
	`account_digest` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`blocked_until` integer NOT NULL,
	`admitted` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `password_failures_updated_at` ON `password_failures` (`updated_at`);--> statement-breakpoint
CREATE TABLE `passwords` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passwords_user_id` ON `passwords` (`user_id`);--> statement-breakpoint
CREATE TABLE `sign_in_sessions` (
	`digest` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`state` text,
	`auth_method` text,
	`provider` text,
	`scopes` text NOT NULL,
	`code_challenge` text,
	`login_hint` text,
	`locale` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`browser_digest` text,
	`user_id` text,
	`signed_in_with` text,
	`signed_in_provider` text,
	`signed_in_at` integer,
	`ip_address` text,
	`user_agent` text,
	`code_digest` text,
	`code_expires_at` integer,
	`code_used_at` integer,
	`login_id` text,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_sessions_code_digest` ON `sign_in_sessions` (`code_digest`);--> statement-breakpoint
CREATE INDEX `sign_in_sessions_expires_at` ON `sign_in_sessions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sign_in_sessions_user_id` ON `sign_in_sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sign_in_sessions_app_id` ON `sign_in_sessions` (`app_id`);--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`algorithm` text NOT NULL,
	`generation` integer NOT NULL,
	`public_jwk` text NOT NULL,
	`encrypted_private_jwk` text NOT NULL,
	`created_at` integer NOT NULL,
	`signs_from` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_algorithm_generation` ON `signing_keys` (`algorithm`,`generation`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`email` text,
	`email_verified` integer NOT NULL,
	`name` text,
	`picture` text,
	`handle` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disabled_at` integer,
	`last_login_at` integer,
	`login_count` integer NOT NULL,
	`last_ip_address` text,
	`last_user_agent` text,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_app_id_email` ON `users` (`app_id`,`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_handle` ON `users` (`handle`);