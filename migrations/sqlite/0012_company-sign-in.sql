CREATE TABLE `organization_factor_failures` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_id` text NOT NULL,
	`failures` integer NOT NULL,
	`last_failed_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`,`app_id`) REFERENCES `users`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_factor_failures_user_id` ON `organization_factor_failures` (`user_id`);--> statement-breakpoint
CREATE TABLE `organization_identities` (
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	`email` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`organization_id`, `issuer`, `subject`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`,`app_id`) REFERENCES `users`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_identities_user` ON `organization_identities` (`organization_id`,`issuer`,`user_id`);--> statement-breakpoint
CREATE INDEX `organization_identities_user_id` ON `organization_identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `organization_providers` (
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`state` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`encrypted_secret` text NOT NULL,
	`fixed_addresses` integer NOT NULL,
	`trusts_second_factor` text,
	`session_seconds` integer NOT NULL,
	`required_since` integer,
	`proofs_from` integer NOT NULL,
	`setter_id` text,
	`setup_link_id` text,
	`tried_at` integer,
	`works_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`failing_since` integer,
	`failed_at` integer,
	`failure` text,
	`failure_mailed_at` integer,
	PRIMARY KEY(`organization_id`, `state`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_providers_app_id` ON `organization_providers` (`app_id`);--> statement-breakpoint
CREATE INDEX `organization_providers_works_at` ON `organization_providers` (`works_at`) WHERE state = 'waiting';--> statement-breakpoint
CREATE TABLE `organization_relinks` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_id` text NOT NULL,
	`opened_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`asks_owner` integer NOT NULL,
	`agreed_at` integer,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`,`app_id`) REFERENCES `users`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_relinks_expires_at` ON `organization_relinks` (`expires_at`);--> statement-breakpoint
CREATE INDEX `organization_relinks_user_id` ON `organization_relinks` (`user_id`);--> statement-breakpoint
CREATE TABLE `organization_setup_links` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`digest` text NOT NULL,
	`email` text NOT NULL,
	`maker_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`code_digest` text,
	`code_tries` integer NOT NULL,
	`code_expires_at` integer,
	`browser_digest` text,
	`open_until` integer,
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_setup_links_digest` ON `organization_setup_links` (`digest`);--> statement-breakpoint
CREATE INDEX `organization_setup_links_expires_at` ON `organization_setup_links` (`expires_at`);--> statement-breakpoint
CREATE INDEX `organization_setup_links_organization` ON `organization_setup_links` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `organization_visits` (
	`digest` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`issuer` text NOT NULL,
	`purpose` text NOT NULL,
	`encrypted_session_id` text,
	`user_id` text,
	`browser_digest` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`,`app_id`) REFERENCES `users`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_visits_expires_at` ON `organization_visits` (`expires_at`);--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `organization_proofs` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `company_sign_in` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `logins` ADD `organization_proofs` text;--> statement-breakpoint
CREATE INDEX `logins_confined` ON `logins` (`organization_id`) WHERE signed_in_with = 'organization';--> statement-breakpoint
ALTER TABLE `organization_domains` ADD `setup_link_id` text;--> statement-breakpoint
ALTER TABLE `organization_invitations` ADD `provider_exempt` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `organization_members` ADD `provider_exempt` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `resources` ADD `company_sign_in` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `organization_proofs` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `company_identity` text;--> statement-breakpoint
ALTER TABLE `users` ADD `mailed_method_at` integer;