import type { AppSettings, AuthMethods, Branding, SignInMethod } from "../applications/application.ts";
import type { SigningAlgorithm } from "../tokens/jwt.ts";
import type { EndReason } from "../tokens/login-store.ts";
import { sqliteKit, type Kit } from "./kit.ts";

/** Every table, once, for both databases. Secrets appear as `…Digest` (SHA-256), as a password hash, or encrypted under the master key. */
export function defineTables(kit: Kit) {
  const { table, index, uniqueIndex, text, integer, instant, flag, json } = kit;

  const applications = table("applications", {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    domain: text("domain"),
    redirectUris: json("redirect_uris").$type<string[]>().notNull(),
    authMethods: json("auth_methods").$type<AuthMethods>().notNull(),
    branding: json("branding").$type<Branding>().notNull(),
    settings: json("settings").$type<AppSettings>().notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  });
  const appId = () =>
    text("app_id")
      .notNull()
      .references(() => applications.id, { onDelete: "cascade" });

  const apiKeys = table(
    "api_keys",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      keyDigest: text("key_digest").notNull(),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at"),
      revokedAt: instant("revoked_at"),
    },
    (t) => [uniqueIndex("api_keys_key_digest").on(t.keyDigest), index("api_keys_app_id").on(t.appId)],
  );

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
      loginCount: integer("login_count").notNull(),
      lastIpAddress: text("last_ip_address"),
      lastUserAgent: text("last_user_agent"),
    },
    (t) => [uniqueIndex("users_app_id_email").on(t.appId, t.email), uniqueIndex("users_handle").on(t.handle)],
  );
  const userId = () =>
    text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" });

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
      name: text("name").notNull(),
      createdAt: instant("created_at").notNull(),
      lastUsedAt: instant("last_used_at"),
    },
    (t) => [uniqueIndex("passkeys_credential_id").on(t.credentialId), index("passkeys_user_id").on(t.userId)],
  );

  const signInSessions = table(
    "sign_in_sessions",
    {
      digest: text("digest").primaryKey(),
      appId: appId(),
      redirectUri: text("redirect_uri").notNull(),
      state: text("state"),
      authMethod: text("auth_method").$type<SignInMethod>(),
      provider: text("provider"),
      scopes: json("scopes").$type<string[]>().notNull(),
      codeChallenge: text("code_challenge"),
      loginHint: text("login_hint"),
      locale: text("locale"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** The browser that first posted, by its cookie. */
      browserDigest: text("browser_digest"),
      /** Set together, when somebody has signed in. */
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      signedInWith: text("signed_in_with").$type<SignInMethod>(),
      signedInAt: instant("signed_in_at"),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      codeDigest: text("code_digest"),
      codeExpiresAt: instant("code_expires_at"),
      codeUsedAt: instant("code_used_at"),
      /** The login that the code bought: a second use of the code ends it. */
      loginId: text("login_id"),
    },
    (t) => [
      uniqueIndex("sign_in_sessions_code_digest").on(t.codeDigest),
      index("sign_in_sessions_expires_at").on(t.expiresAt),
      index("sign_in_sessions_user_id").on(t.userId),
      index("sign_in_sessions_app_id").on(t.appId),
    ],
  );

  const passkeyChallenges = table(
    "passkey_challenges",
    {
      digest: text("digest").primaryKey(),
      sessionDigest: text("session_digest")
        .notNull()
        .references(() => signInSessions.digest, { onDelete: "cascade" }),
      browserDigest: text("browser_digest").notNull(),
      ceremony: text("ceremony").$type<"sign-in" | "sign-up">().notNull(),
      /** Who a sign-up ceremony is for; null when signing in, where the credential says who it is. */
      userHandle: text("user_handle"),
      email: text("email"),
      name: text("name"),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("passkey_challenges_expires_at").on(t.expiresAt),
      index("passkey_challenges_session_digest").on(t.sessionDigest),
    ],
  );

  const logins = table(
    "logins",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      userId: userId(),
      signedInWith: text("signed_in_with").$type<SignInMethod>().notNull(),
      scopes: json("scopes").$type<string[]>().notNull(),
      /** Redeemed with PKCE and no API key: may also refresh without one. */
      publicClient: flag("public_client").notNull(),
      signedInAt: instant("signed_in_at").notNull(),
      createdAt: instant("created_at").notNull(),
      lastSeenAt: instant("last_seen_at").notNull(),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      generation: integer("generation").notNull(),
      refreshDigest: text("refresh_digest").notNull(),
      previousDigest: text("previous_digest"),
      refreshedAt: instant("refreshed_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      endedAt: instant("ended_at"),
      endReason: text("end_reason").$type<EndReason>(),
    },
    (t) => [
      index("logins_user_id").on(t.userId),
      index("logins_app_id").on(t.appId),
      index("logins_expires_at").on(t.expiresAt),
    ],
  );

  const signingKeys = table(
    "signing_keys",
    {
      id: text("id").primaryKey(),
      algorithm: text("algorithm").$type<SigningAlgorithm>().notNull(),
      /** Counts up from 1 for each algorithm, so that two nodes cannot both make the next key. */
      generation: integer("generation").notNull(),
      publicJwk: json("public_jwk").$type<Record<string, unknown>>().notNull(),
      encryptedPrivateJwk: text("encrypted_private_jwk").notNull(),
      createdAt: instant("created_at").notNull(),
      /** Published at once, signs from then on, until a key with a later `signsFrom` takes over. */
      signsFrom: instant("signs_from").notNull(),
    },
    (t) => [uniqueIndex("signing_keys_algorithm_generation").on(t.algorithm, t.generation)],
  );

  const auditEvents = table(
    "audit_events",
    {
      id: text("id").primaryKey(),
      at: instant("at").notNull(),
      actor: text("actor").notNull(),
      action: text("action").notNull(),
      result: text("result").$type<"success" | "failure">().notNull(),
      appId: text("app_id"),
      userId: text("user_id"),
      ipAddress: text("ip_address"),
      requestId: text("request_id"),
      details: json("details").$type<Record<string, string | number | boolean | null>>().notNull(),
    },
    (t) => [index("audit_events_at").on(t.at)],
  );

  /** One row a fact about the database itself: the check value of the master key. */
  const facts = table("facts", { name: text("name").primaryKey(), value: text("value").notNull() });

  return {
    applications,
    apiKeys,
    users,
    passwords,
    passwordFailures,
    passkeys,
    signInSessions,
    passkeyChallenges,
    logins,
    signingKeys,
    auditEvents,
    facts,
  };
}

export type Tables = ReturnType<typeof defineTables>;

export const sqliteTables: Tables = defineTables(sqliteKit);
