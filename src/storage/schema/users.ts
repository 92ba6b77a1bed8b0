import type { Kit } from "../kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { ApplicationTables } from "./applications.ts";

/** Users, and what signs them in. */
export function usersTables(kit: Kit, { applications }: Pick<ApplicationTables, "applications">) {
  const { table, index, uniqueIndex, text, integer, instant, flag, json } = kit;

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
      /** The WebAuthn user handle: random, because authenticators show and sync it. */
      handle: text("handle").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      disabledAt: instant("disabled_at"),
      lastLoginAt: instant("last_login_at"),
      /** The sign-in before the last: the day from which a user moves when it signs in again. */
      previousLoginAt: instant("previous_login_at"),
      loginCount: integer("login_count").notNull(),
      lastIpAddress: text("last_ip_address"),
      lastUserAgent: text("last_user_agent"),
      /** The language of the pages on which this user last signed in, for mails. */
      locale: text("locale"),
      /** When this user said "not now" to a passkey. */
      passkeyDeclinedAt: instant("passkey_declined_at"),
    },
    (t) => [uniqueIndex("users_app_id_email").on(t.appId, t.email), uniqueIndex("users_handle").on(t.handle)],
  );
  const userId = ofUser(kit, users);

  const passwords = table(
    "passwords",
    {
      id: text("id").primaryKey(),
      userId: userId(),
      hash: text("hash").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [uniqueIndex("passwords_user_id").on(t.userId)],
  );

  /** Failures per (app, address), whether or not such a user exists: an unknown address is throttled like a known one. */
  const passwordFailures = table(
    "password_failures",
    {
      accountDigest: text("account_digest").primaryKey(),
      failures: integer("failures").notNull(),
      blockedUntil: instant("blocked_until").notNull(),
      /** Whether the last try was let through to the hash. */
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
      /** Decided when it was made, once and for all (WebAuthn §6.1.3); null for an imported one that has not been used yet. */
      backupEligible: flag("backup_eligible"),
      /** Whether its authenticator remembers it by itself; those that do not must be named to be used. */
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
      subject: text("subject").notNull(),
      email: text("email"),
      createdAt: instant("created_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [
      uniqueIndex("oauth_identities_subject").on(t.appId, t.provider, t.subject),
      index("oauth_identities_user_id").on(t.userId),
    ],
  );

  return { users, passwords, passwordFailures, passkeys, oauthIdentities };
}

export type UserTables = ReturnType<typeof usersTables>;
