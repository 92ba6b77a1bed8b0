import { sql } from "drizzle-orm";
import type { Metadata, ProfileValues } from "../column-types.ts";
import { foldedName, instantOrNever } from "../queries/sort-keys.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication, ofUser } from "./owners.ts";

/** Of the rules by which texts are folded now. A change of them is a new number and migration. */
export const foldNumber = 1;

/** Whether a row of `user_search` waits to be folded. Literal: a parameter would use no index. */
export const isStale = sql.raw(`fold < ${foldNumber}`);

/** Users and their sign-in methods. */
export function usersTables(kit: Kit, { applications }: Pick<ApplicationTables, "applications">) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, flag, json } = kit;

  const appId = ofApplication(kit, applications);

  const users = table(
    "users",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      email: text("email"),
      emailVerified: flag("email_verified").notNull(),
      name: text("name"),
      picture: text("picture"),
      /** The WebAuthn user handle. Random, because authenticators show and sync it. */
      handle: text("handle").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      /** When a mailed code made a first own method; null: never. */
      mailedMethodAt: instant("mailed_method_at"),
      disabledAt: instant("disabled_at"),
      /** Since when the user waits for approval. They are disabled, too: nothing is issued. */
      pendingAt: instant("pending_at"),
      lastLoginAt: instant("last_login_at"),
      /** The previous sign-in: the day under which the user is counted until the next one. */
      previousLoginAt: instant("previous_login_at"),
      loginCount: integer("login_count").notNull(),
      lastIpAddress: text("last_ip_address"),
      lastUserAgent: text("last_user_agent"),
      /** The page language at the user's last sign-in, for mails. */
      locale: text("locale"),
      /** When the user declined to create a passkey ("not now"). */
      passkeyDeclinedAt: instant("passkey_declined_at"),
      /** Null is empty. The person reads the public part and writes neither. */
      publicMetadata: json("public_metadata").$type<Metadata>(),
      privateMetadata: json("private_metadata").$type<Metadata>(),
      /** Of the application's own profile fields, by name; null: none. */
      profile: json("profile").$type<ProfileValues>(),
    },
    (t) => [
      uniqueIndex("users_app_id_email").on(t.appId, t.email),
      uniqueIndex("users_handle").on(t.handle),
      // For references that carry the application too.
      uniqueIndex("users_app_id_id").on(t.appId, t.id),
      // The orders of the list of users. What they cost: docs/performance.md.
      index("users_by_creation").on(t.appId, t.createdAt, t.id),
      index("users_by_name").on(t.appId, foldedName(t.name), t.id),
      index("users_by_last_login").on(t.appId, instantOrNever(t.lastLoginAt), t.id),
      index("users_disabled")
        .on(t.appId, t.createdAt, t.id)
        .where(sql`disabled_at IS NOT NULL`),
      index("users_disabled_newest")
        .on(t.createdAt, t.id)
        .where(sql`disabled_at IS NOT NULL`),
      index("users_pending")
        .on(t.appId, t.createdAt, t.id)
        .where(sql`pending_at IS NOT NULL`),
    ],
  );
  const userId = ofUser(kit, users);

  /** What a search reads of each user. Triggers on `users` keep it (docs/decisions/0079). */
  const userSearch = table(
    "user_search",
    {
      userId: text("user_id")
        .primaryKey()
        .references(() => users.id, { onDelete: "cascade" }),
      appId: text("app_id").notNull(),
      createdAt: instant("created_at").notNull(),
      /** Address and name, as `fold` of `people/search-text.ts` writes them. Null: not yet. */
      folded: text("folded"),
      /** The `foldNumber` of `folded`; 0: none. */
      fold: integer("fold").notNull(),
    },
    (t) => [
      index("user_search_newest").on(t.createdAt, t.userId),
      index("user_search_newest_of_app").on(t.appId, t.createdAt, t.userId),
      index("user_search_stale").on(t.createdAt, t.userId, t.appId).where(isStale),
    ],
  );

  const passwords = table(
    "passwords",
    {
      id: text("id").primaryKey(),
      userId: userId(),
      hash: text("hash").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      lastUsedAt: instant("last_used_at"),
      /** When it was chosen; null: unknown, as of imported ones. */
      setAt: instant("set_at"),
      /** Since when it must be replaced; null: it need not. */
      mustChangeAt: instant("must_change_at"),
      /** The user's proved address then; null: there was none. */
      mustChangeEmail: text("must_change_email"),
    },
    (t) => [
      uniqueIndex("passwords_user_id").on(t.userId),
      index("passwords_must_change")
        .on(t.userId)
        .where(sql`must_change_at IS NOT NULL`),
    ],
  );

  /**
   * Failures per application and address, whether or not the user exists: unknown addresses are
   * throttled like known ones.
   */
  const passwordFailures = table(
    "password_failures",
    {
      accountDigest: text("account_digest").primaryKey(),
      failures: integer("failures").notNull(),
      blockedUntil: instant("blocked_until").notNull(),
      /** Whether the last attempt reached the hash. */
      admitted: flag("admitted").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [index("password_failures_updated_at").on(t.updatedAt)],
  );

  const passkeys = table(
    "passkeys",
    {
      id: text("id").primaryKey(),
      userId: userId(),
      credentialId: text("credential_id").notNull(),
      publicKey: text("public_key").notNull(),
      signCount: integer("sign_count").notNull(),
      transports: json("transports").$type<string[]>().notNull(),
      aaguid: text("aaguid").notNull(),
      backedUp: flag("backed_up").notNull(),
      /**
       * Fixed at registration (WebAuthn §6.1.3). Null for an imported passkey that has not been
       * used yet.
       */
      backupEligible: flag("backup_eligible"),
      /**
       * Whether the authenticator can find the credential by itself; otherwise requests must list
       * it.
       */
      discoverable: flag("discoverable").notNull(),
      name: text("name").notNull(),
      createdAt: instant("created_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [uniqueIndex("passkeys_credential_id").on(t.credentialId), index("passkeys_user_id").on(t.userId)],
  );

  const oauthIdentities = table(
    "oauth_identities",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      userId: userId(),
      provider: text("provider").notNull(),
      /** The subject's directory: an issuer or a host. Empty if unknown (`directoryOf`). */
      issuer: text("issuer").notNull(),
      subject: text("subject").notNull(),
      email: text("email"),
      createdAt: instant("created_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [
      uniqueIndex("oauth_identities_issuer_subject").on(t.appId, t.provider, t.issuer, t.subject),
      index("oauth_identities_user_id").on(t.userId),
    ],
  );

  /** What people answered to the terms of their application: one row a version. */
  const termsAnswers = table(
    "terms_answers",
    {
      userId: userId(),
      version: text("version").notNull(),
      url: text("url").notNull(),
      /** False: declined, while they were not required. */
      accepted: flag("accepted").notNull(),
      answeredAt: instant("answered_at").notNull(),
      ipAddress: text("ip_address"),
    },
    (t) => [primaryKey({ columns: [t.userId, t.version] })],
  );

  return { users, userSearch, termsAnswers, passwords, passwordFailures, passkeys, oauthIdentities };
}

export type UserTables = ReturnType<typeof usersTables>;
