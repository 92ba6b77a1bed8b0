CREATE TABLE `organization_blocks` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_id` text NOT NULL,
	`address_digest` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_blocks_address` ON `organization_blocks` (`organization_id`,`address_digest`);--> statement-breakpoint
CREATE TABLE `organization_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`written_in` text,
	`organization_id` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `organization_changes_at` ON `organization_changes` (`at`);--> statement-breakpoint
CREATE TABLE `organization_domains` (
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`domain` text NOT NULL,
	`state` text NOT NULL,
	`token` text NOT NULL,
	`join_policy` text NOT NULL,
	`created_at` integer NOT NULL,
	`proved_at` integer,
	`works_at` integer,
	`checked_at` integer,
	`next_check_at` integer,
	`answer` text,
	`misses` integer NOT NULL,
	`missed_at` integer,
	PRIMARY KEY(`organization_id`, `domain`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_domains_proved` ON `organization_domains` (`app_id`,`domain`) WHERE state = 'proved';--> statement-breakpoint
CREATE INDEX `organization_domains_domain` ON `organization_domains` (`app_id`,`domain`);--> statement-breakpoint
CREATE INDEX `organization_domains_next_check_at` ON `organization_domains` (`next_check_at`);--> statement-breakpoint
CREATE TABLE `organization_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`app_id` text NOT NULL,
	`digest` text NOT NULL,
	`email` text NOT NULL,
	`roles` text NOT NULL,
	`inviter_id` text,
	`redirect_uri` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`offered_at` integer,
	`ended_at` integer,
	`end` text,
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_invitations_digest` ON `organization_invitations` (`digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `organization_invitations_open` ON `organization_invitations` (`organization_id`,`email`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `organization_invitations_by_address` ON `organization_invitations` (`app_id`,`email`);--> statement-breakpoint
CREATE INDEX `organization_invitations_inviter` ON `organization_invitations` (`organization_id`,`inviter_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `organization_invitations_created` ON `organization_invitations` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `organization_invitations_of_app` ON `organization_invitations` (`app_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `organization_invitations_expires_at` ON `organization_invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `organization_member_roles` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_id` text NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`, `role`),
	FOREIGN KEY (`organization_id`,`user_id`,`app_id`) REFERENCES `organization_members`(`organization_id`,`user_id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_member_roles_role` ON `organization_member_roles` (`app_id`,`role`,`organization_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `organization_members` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_id` text NOT NULL,
	`joined_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`owner_until` integer,
	`left_at` integer,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`,`app_id`) REFERENCES `users`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_members_user_id` ON `organization_members` (`user_id`,`organization_id`,`app_id`);--> statement-breakpoint
CREATE TABLE `organization_slugs` (
	`app_id` text NOT NULL,
	`slug` text NOT NULL,
	`organization_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `slug`),
	FOREIGN KEY (`organization_id`,`app_id`) REFERENCES `organizations`(`id`,`app_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `organization_slugs_organization_id` ON `organization_slugs` (`organization_id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`second_factor` text,
	`max_members` integer,
	`public_metadata` text,
	`creator_id` text,
	`approved_at` integer,
	`owned_at` integer,
	`ownerless_at` integer,
	`shared_at` integer,
	`owner_removed_at` integer,
	`invitation_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disabled_at` integer,
	`deletes_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`app_id`) REFERENCES `applications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_app_id_id` ON `organizations` (`app_id`,`id`);--> statement-breakpoint
CREATE INDEX `organizations_creator_id` ON `organizations` (`creator_id`) WHERE creator_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `organizations_deletes_at` ON `organizations` (`deletes_at`) WHERE deletes_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `organizations_unowned` ON `organizations` (`created_at`) WHERE owned_at IS NULL AND deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `organizations_ownerless` ON `organizations` (`app_id`) WHERE ownerless_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `clients` ADD `organization_id` text;--> statement-breakpoint
CREATE INDEX `clients_organization_id` ON `clients` (`organization_id`) WHERE organization_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `device_requests` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `logins` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `revocations` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `sign_in_sessions` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `organization_id` text;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `roles` text;--> statement-breakpoint
CREATE UNIQUE INDEX `users_app_id_id` ON `users` (`app_id`,`id`);