import { sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type {
  DomainAnswer,
  DomainJoin,
  DomainState,
  InvitationEnd,
  JoinedBy,
  Metadata,
  OrganizationProviderState,
  OrganizationVisitPurpose,
  SecondFactorPolicy,
} from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication } from "./owners.ts";
import type { UserTables } from "./users.ts";

/**
 * Organizations of an application's users (docs/decisions/0093). Foreign keys carry `app_id`, so
 * that no row joins two applications.
 */
export function organizationsTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const {
    table,
    index,
    uniqueIndex,
    primaryKey,
    foreignKey,
    text,
    integer,
    instant,
    flag,
    json,
    counter,
    transaction,
  } = kit;

  /** A row stays after a deletion, so that neither its id nor its slugs are used again. */
  const organizations = table(
    "organizations",
    {
      id: text("id").primaryKey(),
      appId: ofApplication(kit, applications)(),
      name: text("name").notNull(),
      slug: text("slug").notNull(),
      /** The second-factor policy for its members; null: off. */
      secondFactor: text("second_factor").$type<SecondFactorPolicy>(),
      /** Null: only the limit of every organization. */
      maxMembers: integer("max_members"),
      publicMetadata: json("public_metadata").$type<Metadata>(),
      /** The user who created it; null: the server or an operator. */
      creatorId: text("creator_id"),
      /** When the server set `maxMembers`: until then, a user's organization invites fewer. */
      approvedAt: instant("approved_at"),
      /** When it first had an owner. */
      ownedAt: instant("owned_at"),
      /** When it last had no live owner. It may have one again whose account was enabled. */
      ownerlessAt: instant("ownerless_at"),
      /** When a second person first joined. */
      sharedAt: instant("shared_at"),
      /** When one owner last removed or demoted another. */
      ownerRemovedAt: instant("owner_removed_at"),
      /** Invitations sent in all. */
      invitationCount: integer("invitation_count").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      disabledAt: instant("disabled_at"),
      /** When its deletion begins. Null: never, or all its rows are deleted. */
      deletesAt: instant("deletes_at"),
      deletedAt: instant("deleted_at"),
    },
    (t) => [
      uniqueIndex("organizations_app_id_id").on(t.appId, t.id),
      index("organizations_creator_id")
        .on(t.creatorId)
        .where(sql`creator_id IS NOT NULL`),
      index("organizations_deletes_at")
        .on(t.deletesAt)
        .where(sql`deletes_at IS NOT NULL`),
      index("organizations_unowned")
        .on(t.createdAt)
        .where(sql`owned_at IS NULL AND deleted_at IS NULL`),
      index("organizations_ownerless")
        .on(t.appId)
        .where(sql`ownerless_at IS NOT NULL`),
    ],
  );
  const appId = () => text("app_id").notNull();
  const organizationId = () => text("organization_id").notNull();
  const belongs = (name: string, id: AnySQLiteColumn, appId: AnySQLiteColumn) =>
    foreignKey({
      name,
      columns: [id, appId],
      foreignColumns: [organizations.id, organizations.appId],
    }).onDelete("cascade");

  /** Every slug that was ever used, and whose it is. */
  const organizationSlugs = table(
    "organization_slugs",
    {
      appId: appId(),
      slug: text("slug").notNull(),
      organizationId: organizationId(),
      createdAt: instant("created_at").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.appId, t.slug] }),
      index("organization_slugs_organization_id").on(t.organizationId),
      belongs("organization_slugs_of_organization", t.organizationId, t.appId),
    ],
  );

  /** Only `organizations/membership-store.ts` reads it: it knows which ones are live. */
  const organizationMembers = table(
    "organization_members",
    {
      organizationId: organizationId(),
      userId: text("user_id").notNull(),
      appId: appId(),
      joinedBy: text("joined_by").$type<JoinedBy>().notNull(),
      createdAt: instant("created_at").notNull(),
      /** When this organization was last chosen. */
      usedAt: instant("used_at"),
      /** When the member last stopped being an owner. */
      ownerUntil: instant("owner_until"),
      /** Whether they may do without the organization's provider. */
      providerExempt: flag("provider_exempt").notNull().default(false),
      /** When the member left or was removed. The row stays: who left joins no more by a domain. */
      leftAt: instant("left_at"),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.userId] }),
      uniqueIndex("organization_members_user_id").on(t.userId, t.organizationId, t.appId),
      belongs("organization_members_of_organization", t.organizationId, t.appId),
      foreignKey({
        name: "organization_members_of_user",
        columns: [t.userId, t.appId],
        foreignColumns: [users.id, users.appId],
      }).onDelete("cascade"),
    ],
  );

  const organizationMemberRoles = table(
    "organization_member_roles",
    {
      organizationId: organizationId(),
      userId: text("user_id").notNull(),
      appId: appId(),
      role: text("role").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.userId, t.role] }),
      index("organization_member_roles_role").on(t.appId, t.role, t.organizationId, t.userId),
      foreignKey({
        name: "organization_member_roles_of_member",
        columns: [t.organizationId, t.userId, t.appId],
        foreignColumns: [organizationMembers.organizationId, organizationMembers.userId, organizationMembers.appId],
      }).onDelete("cascade"),
    ],
  );

  /** Who was removed, and joins again only by an invitation. Outlives the account. */
  const organizationBlocks = table(
    "organization_blocks",
    {
      organizationId: organizationId(),
      userId: text("user_id").notNull(),
      appId: appId(),
      /** Keyed, of the address without its `+…`; null: the user had none. */
      addressDigest: text("address_digest"),
      createdAt: instant("created_at").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.userId] }),
      index("organization_blocks_address").on(t.organizationId, t.addressDigest),
      belongs("organization_blocks_of_organization", t.organizationId, t.appId),
    ],
  );

  /** Kept for 30 days after their end: a link may be opened again, a no is remembered. */
  const organizationInvitations = table(
    "organization_invitations",
    {
      id: text("id").primaryKey(),
      organizationId: organizationId(),
      appId: appId(),
      /** Of the mailed link. */
      digest: text("digest").notNull(),
      email: text("email").notNull(),
      roles: json("roles").$type<string[]>().notNull(),
      /** The member who invited; null: the server or an operator. */
      inviterId: text("inviter_id"),
      /** As in `organization_members`, for who accepts. */
      providerExempt: flag("provider_exempt").notNull().default(false),
      /** Where accepting ends; null: the application's home. */
      redirectUri: text("redirect_uri"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** When it was offered after a sign-in, which happens once. */
      offeredAt: instant("offered_at"),
      /** Set together. */
      endedAt: instant("ended_at"),
      end: text("end").$type<InvitationEnd>(),
    },
    (t) => [
      uniqueIndex("organization_invitations_digest").on(t.digest),
      uniqueIndex("organization_invitations_open")
        .on(t.organizationId, t.email)
        .where(sql`ended_at IS NULL`),
      // Also of ended ones, which the deletion of an account erases.
      index("organization_invitations_by_address").on(t.appId, t.email),
      index("organization_invitations_inviter")
        .on(t.organizationId, t.inviterId)
        .where(sql`ended_at IS NULL`),
      index("organization_invitations_created").on(t.organizationId, t.createdAt),
      index("organization_invitations_of_app").on(t.appId, t.createdAt),
      index("organization_invitations_expires_at").on(t.expiresAt),
      belongs("organization_invitations_of_organization", t.organizationId, t.appId),
    ],
  );

  const organizationDomains = table(
    "organization_domains",
    {
      organizationId: organizationId(),
      appId: appId(),
      /** In ASCII, as `organizations/domains/` writes it. */
      domain: text("domain").notNull(),
      state: text("state").$type<DomainState>().notNull(),
      /** The value of the TXT record. */
      token: text("token").notNull(),
      join: text("join_policy").$type<DomainJoin>().notNull(),
      createdAt: instant("created_at").notNull(),
      provedAt: instant("proved_at"),
      /** When its settings take effect, after it moved from another organization. */
      worksAt: instant("works_at"),
      /** The set-up link that added it, until an owner or the server confirms; null: confirmed. */
      setupLinkId: text("setup_link_id"),
      checkedAt: instant("checked_at"),
      nextCheckAt: instant("next_check_at"),
      /** The last answer of DNS, as the page shows it. */
      answer: json("answer").$type<DomainAnswer>(),
      /** Days on which the record was not there, since it was last found. */
      misses: integer("misses").notNull(),
      missedAt: instant("missed_at"),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.domain] }),
      uniqueIndex("organization_domains_proved")
        .on(t.appId, t.domain)
        .where(sql`state = 'proved'`),
      index("organization_domains_domain").on(t.appId, t.domain),
      index("organization_domains_next_check_at").on(t.nextCheckAt),
      belongs("organization_domains_of_organization", t.organizationId, t.appId),
    ],
  );

  /** Changes of whole organizations, which nodes read once a second. */
  const organizationChanges = table(
    "organization_changes",
    {
      id: counter("id"),
      writtenIn: transaction("written_in"),
      /** No reference: a row is about a moment, and is deleted after a day. */
      organizationId: organizationId(),
      at: instant("at").notNull(),
    },
    (t) => [index("organization_changes_at").on(t.at)],
  );

  /**
   * The OpenID Connect provider of an organization (docs/decisions/0107). Beside the one that
   * works, one may wait: a first one to be tried or confirmed, or another issuer.
   */
  const organizationProviders = table(
    "organization_providers",
    {
      organizationId: organizationId(),
      appId: appId(),
      state: text("state").$type<OrganizationProviderState>().notNull(),
      issuer: text("issuer").notNull(),
      clientId: text("client_id").notNull(),
      encryptedSecret: text("encrypted_secret").notNull(),
      /** People cannot choose their address there: a missing `email_verified` counts as true. */
      fixedAddresses: flag("fixed_addresses").notNull(),
      /** The claim that means two factors, such as `amr=mfa`; null: none. Set by the server. */
      trustsSecondFactor: text("trusts_second_factor"),
      /** How long a proof by it lasts. */
      sessionSeconds: integer("session_seconds").notNull(),
      /** Since when members must sign in by it; null: they need not. */
      requiredSince: instant("required_since"),
      /** Proofs from before do not count. */
      proofsFrom: instant("proofs_from").notNull(),
      /** The member who set it; null: the server, an operator, or a set-up link. */
      setterId: text("setter_id"),
      setupLinkId: text("setup_link_id"),
      /** When a sign-in or a test by it first succeeded. */
      triedAt: instant("tried_at"),
      /** Of a waiting one: when it takes effect; null: it waits for a confirmation. */
      worksAt: instant("works_at"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      /** Set together while it fails: the first failure, the last one, and its reason. */
      failingSince: instant("failing_since"),
      failedAt: instant("failed_at"),
      failure: text("failure"),
      /** When its owners were mailed that it fails. */
      failureMailedAt: instant("failure_mailed_at"),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.state] }),
      index("organization_providers_app_id").on(t.appId),
      index("organization_providers_works_at")
        .on(t.worksAt)
        .where(sql`state = 'waiting'`),
      belongs("organization_providers_of_organization", t.organizationId, t.appId),
    ],
  );

  /** Who a person is at an organization's provider. Those of another issuer have no effect. */
  const organizationIdentities = table(
    "organization_identities",
    {
      organizationId: organizationId(),
      appId: appId(),
      issuer: text("issuer").notNull(),
      subject: text("subject").notNull(),
      userId: text("user_id").notNull(),
      /** As the provider last named it. */
      email: text("email"),
      createdAt: instant("created_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.issuer, t.subject] }),
      uniqueIndex("organization_identities_user").on(t.organizationId, t.issuer, t.userId),
      index("organization_identities_user_id").on(t.userId),
      belongs("organization_identities_of_organization", t.organizationId, t.appId),
      foreignKey({
        name: "organization_identities_of_user",
        columns: [t.userId, t.appId],
        foreignColumns: [users.id, users.appId],
      }).onDelete("cascade"),
    ],
  );

  /** Members who may link another subject once: after another issuer or registration. */
  const organizationRelinks = table(
    "organization_relinks",
    {
      organizationId: organizationId(),
      userId: text("user_id").notNull(),
      appId: appId(),
      openedAt: instant("opened_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** Who has to be let in by an owner's press, and when that happened. */
      asksOwner: flag("asks_owner").notNull(),
      agreedAt: instant("agreed_at"),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.userId] }),
      index("organization_relinks_expires_at").on(t.expiresAt),
      index("organization_relinks_user_id").on(t.userId),
      belongs("organization_relinks_of_organization", t.organizationId, t.appId),
      foreignKey({
        name: "organization_relinks_of_user",
        columns: [t.userId, t.appId],
        foreignColumns: [users.id, users.appId],
      }).onDelete("cascade"),
    ],
  );

  /** Visits to an organization's provider that have not come back. */
  const organizationVisits = table(
    "organization_visits",
    {
      /** Of the `state` parameter. */
      digest: text("digest").primaryKey(),
      organizationId: organizationId(),
      appId: appId(),
      issuer: text("issuer").notNull(),
      purpose: text("purpose").$type<OrganizationVisitPurpose>().notNull(),
      /** The sign-in that it belongs to; null: it is a trial. */
      encryptedSessionId: text("encrypted_session_id"),
      /** The owner who tries it; null: it is a sign-in. */
      userId: text("user_id"),
      browserDigest: text("browser_digest").notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("organization_visits_expires_at").on(t.expiresAt),
      belongs("organization_visits_of_organization", t.organizationId, t.appId),
      foreignKey({
        name: "organization_visits_of_user",
        columns: [t.userId, t.appId],
        foreignColumns: [users.id, users.appId],
      }).onDelete("cascade"),
    ],
  );

  /** Links by which somebody who is no owner adds a domain and a provider. */
  const organizationSetupLinks = table(
    "organization_setup_links",
    {
      id: text("id").primaryKey(),
      organizationId: organizationId(),
      appId: appId(),
      digest: text("digest").notNull(),
      email: text("email").notNull(),
      /** The owner who made it, with whose right it ends; null: the server or an operator. */
      makerId: text("maker_id"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      endedAt: instant("ended_at"),
      /** Of the mailed code that opens it. */
      codeDigest: text("code_digest"),
      codeTries: integer("code_tries").notNull(),
      codeExpiresAt: instant("code_expires_at"),
      /** Of the browser in which it is open. */
      browserDigest: text("browser_digest"),
      openUntil: instant("open_until"),
    },
    (t) => [
      uniqueIndex("organization_setup_links_digest").on(t.digest),
      index("organization_setup_links_expires_at").on(t.expiresAt),
      index("organization_setup_links_organization").on(t.organizationId, t.createdAt),
      belongs("organization_setup_links_of_organization", t.organizationId, t.appId),
    ],
  );

  /** Wrong factors in confined sign-ins: they count for this organization only. */
  const organizationFactorFailures = table(
    "organization_factor_failures",
    {
      organizationId: organizationId(),
      userId: text("user_id").notNull(),
      appId: appId(),
      failures: integer("failures").notNull(),
      lastFailedAt: instant("last_failed_at").notNull(),
    },
    (t) => [
      primaryKey({ columns: [t.organizationId, t.userId] }),
      index("organization_factor_failures_user_id").on(t.userId),
      belongs("organization_factor_failures_of_organization", t.organizationId, t.appId),
      foreignKey({
        name: "organization_factor_failures_of_user",
        columns: [t.userId, t.appId],
        foreignColumns: [users.id, users.appId],
      }).onDelete("cascade"),
    ],
  );

  return {
    organizationProviders,
    organizationIdentities,
    organizationRelinks,
    organizationVisits,
    organizationSetupLinks,
    organizationFactorFailures,
    organizations,
    organizationSlugs,
    organizationMembers,
    organizationMemberRoles,
    organizationBlocks,
    organizationInvitations,
    organizationDomains,
    organizationChanges,
  };
}
