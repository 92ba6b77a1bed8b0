CREATE TABLE `authorization_requests` (
	`digest` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`client_id` text NOT NULL,
	`parameters` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `authorization_requests_expires_at` ON `authorization_requests` (`expires_at`);--> statement-breakpoint
CREATE INDEX `authorization_requests_app_id` ON `authorization_requests` (`app_id`);--> statement-breakpoint
CREATE TABLE `client_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`secret_digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `client_secrets_secret_digest` ON `client_secrets` (`secret_digest`);--> statement-breakpoint
CREATE INDEX `client_secrets_client_id` ON `client_secrets` (`client_id`);--> statement-breakpoint
CREATE TABLE `clients` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`post_logout_redirect_uris` text NOT NULL,
	`backchannel_logout_uri` text,
	`scopes` text NOT NULL,
	`consent` text NOT NULL,
	`require_pkce` integer NOT NULL,
	`id_token_alg` text NOT NULL,
	`id_token_claims` text NOT NULL,
	`refresh_tokens` text NOT NULL,
	`jwks` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	`disabled_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `clients_app_id` ON `clients` (`app_id`);--> statement-breakpoint
CREATE TABLE `consents` (
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `consents_client_id` ON `consents` (`client_id`);--> statement-breakpoint
CREATE TABLE `used_assertions` (
	`digest` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_assertions_expires_at` ON `used_assertions` (`expires_at`);--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `signed_in_provider` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `proofs` text;--> statement-breakpoint
ALTER TABLE `logins` ADD `client_id` text;--> statement-breakpoint
ALTER TABLE `logins` ADD `claims_request` text;--> statement-breakpoint
CREATE INDEX `logins_client_id` ON `logins` (`client_id`) WHERE client_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `authorization` text;--> statement-breakpoint
ALTER TABLE `webhook_endpoints` ADD `client_id` text REFERENCES clients(id) ON UPDATE no action ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_client_id` ON `webhook_endpoints` (`client_id`);