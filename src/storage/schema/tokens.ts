import { sql } from "drizzle-orm";
import type {
  ClaimsRequest,
  SecondFactorProof,
  SignInMethod,
  SignInProof,
  SigningAlgorithm,
  EndReason,
  LoginActor,
  OrganizationProof,
  PersonalTokenEnd,
} from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { UserTables } from "./users.ts";

/** Logins, and the keys that sign their tokens. */
export function tokensTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, onSqlite, text, integer, instant, flag, json, counter, transaction } = kit;

  const appId = ofApplication(kit, applications);

  const userId = ofUser(kit, users);

  const logins = table(
    "logins",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      userId: userId(),
      signedInWith: text("signed_in_with").$type<SignInMethod | "operator">().notNull(),
      /** The operator who acts as the user, and the reason; null: the user. */
      actor: json("actor").$type<LoginActor>(),
      /** The provider, if signed in with OAuth. */
      provider: text("provider"),
      /** All proofs of the sign-in, for `amr`. Null: only `signedInWith`. */
      proofs: json("proofs").$type<SignInProof[]>(),
      /** Null once a factor of the user was removed. */
      secondFactor: text("second_factor").$type<SecondFactorProof>(),
      /** Of organizations' providers; null: none. */
      organizationProofs: json("organization_proofs").$type<OrganizationProof[]>(),
      scopes: json("scopes").$type<string[]>().notNull(),
      /** The code was redeemed with PKCE and no API key, so the login may refresh without one. */
      publicClient: flag("public_client").notNull(),
      /**
       * The OpenID Connect client, which is in `clients` unless it was deleted. Null: the
       * application itself.
       */
      clientId: text("client_id"),
      /** The `claims` parameter of the authorization request, for userinfo. */
      claimsRequest: json("claims_request").$type<ClaimsRequest>(),
      /** The identifier of the resource that its access tokens are for; null: the application. */
      resource: text("resource"),
      /** Of a public client: the thumbprint of the key that its refresh tokens are bound to. */
      proofKey: text("proof_key"),
      /** The organization that it last named; null: none. */
      organizationId: text("organization_id"),
      signedInAt: instant("signed_in_at").notNull(),
      /**
       * When a provider authenticated the person, by its claim; 0: unknown; null: authenticated
       * here.
       */
      provenElsewhereAt: instant("proven_elsewhere_at"),
      createdAt: instant("created_at").notNull(),
      lastSeenAt: instant("last_seen_at").notNull(),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      /** Refers to `browser_sessions.tie`. */
      browserSessionDigest: text("browser_session_digest"),
      /** As in `known_browsers`; null: unknown, or nobody counts logins (`maxLogins`). */
      browserDigest: text("browser_digest"),
      generation: integer("generation").notNull(),
      refreshDigest: text("refresh_digest").notNull(),
      previousDigest: text("previous_digest"),
      refreshedAt: instant("refreshed_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      endedAt: instant("ended_at"),
      endReason: text("end_reason").$type<EndReason>(),
      /** Counts changes of the metadata and groups, which nodes cache (docs/decisions/0045). */
      claimsVersion: integer("claims_version").notNull().default(0),
      // A copy of the user's data that every call needs (docs/decisions/0027). Triggers keep it
      // current (migrations/*/0000_initial.sql); nothing else writes it.
      userEmail: text("user_email"),
      userEmailVerified: flag("user_email_verified"),
      userName: text("user_name"),
      userDisabledAt: instant("user_disabled_at"),
    },
    (t) => [
      index("logins_user_id").on(t.userId),
      index("logins_app_id").on(t.appId),
      index("logins_expires_at").on(t.expiresAt),
      // For the deletion of a client.
      index("logins_client_id")
        .on(t.clientId)
        .where(sql`client_id IS NOT NULL`),
      // For the end of all proofs by an organization's provider.
      index("logins_confined")
        .on(t.organizationId)
        .where(sql`signed_in_with = 'organization'`),
      ...onSqlite(
        index("logins_live")
          .on(
            t.id,
            t.expiresAt,
            t.endedAt,
            t.userDisabledAt,
            t.userId,
            t.userEmail,
            t.userEmailVerified,
            t.userName,
            t.claimsVersion,
            t.secondFactor,
          )
          .where(sql`ended_at IS NULL AND user_disabled_at IS NULL`),
      ),
    ],
  );

  const signingKeys = table(
    "signing_keys",
    {
      id: text("id").primaryKey(),
      algorithm: text("algorithm").$type<SigningAlgorithm>().notNull(),
      /** Numbered from 1 per algorithm, so that two nodes cannot both create the next key. */
      generation: integer("generation").notNull(),
      publicJwk: json("public_jwk").$type<Record<string, unknown>>().notNull(),
      encryptedPrivateJwk: text("encrypted_private_jwk").notNull(),
      createdAt: instant("created_at").notNull(),
      /**
       * Published at once. Signs from this instant until a key with a later `signsFrom` takes over.
       */
      signsFrom: instant("signs_from").notNull(),
    },
    (t) => [uniqueIndex("signing_keys_algorithm_generation").on(t.algorithm, t.generation)],
  );

  /**
   * The revocation feed, for servers that verify tokens themselves. An entry is about one login, a
   * user's logins that began before `at`, a key, or (if all three are null) an application.
   */
  const revocations = table(
    "revocations",
    {
      id: counter("id"),
      writtenIn: transaction("written_in"),
      /** Empty: of every application. No reference: the entry outlives its subject. */
      appId: text("app_id").notNull(),
      loginId: text("login_id"),
      userId: text("user_id"),
      keyId: text("key_id"),
      /** Tokens that name this organization; with `userId`, only those of this user. */
      organizationId: text("organization_id"),
      at: instant("at").notNull(),
    },
    (t) => [index("revocations_app_id").on(t.appId, t.writtenIn, t.id), index("revocations_at").on(t.at)],
  );

  /** Personal access tokens (docs/decisions/0100). */
  const personalTokens = table(
    "personal_tokens",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      userId: userId(),
      digest: text("digest").notNull(),
      name: text("name").notNull(),
      /** Of the application, or of the resource. What they allow is decided at every use. */
      scopes: json("scopes").$type<string[]>().notNull(),
      /** The identifier of the resource that it is for; null: the application. */
      resource: text("resource"),
      /** The protected hosts that it opens. */
      hosts: json("hosts").$type<string[]>().notNull(),
      /** Whether its owner had proved two factors when they made it. */
      twoFactors: flag("two_factors").notNull(),
      /** The zone in which its owner chose the last day. */
      timeZone: text("time_zone"),
      createdAt: instant("created_at").notNull(),
      /** When it ends by itself; of an ended one when it ended. */
      expiresAt: instant("expires_at").notNull(),
      /** Accurate to five minutes. */
      lastUsedAt: instant("last_used_at"),
      endedAt: instant("ended_at"),
      endReason: text("end_reason").$type<PersonalTokenEnd>(),
      /** When its owner was told that it ends soon. */
      warnedAt: instant("warned_at"),
    },
    (t) => [
      uniqueIndex("personal_tokens_digest").on(t.digest),
      index("personal_tokens_user_id").on(t.userId),
      index("personal_tokens_app_id").on(t.appId),
      index("personal_tokens_expires_at").on(t.expiresAt),
    ],
  );

  return { logins, signingKeys, revocations, personalTokens };
}

export type TokenTables = ReturnType<typeof tokensTables>;
