import { sql } from "drizzle-orm";
import type {
  AssertionAudience,
  ClientKind,
  ClientProfile,
  ConsentPolicy,
  DpopPolicy,
  IdTokenClaimsPolicy,
  ProxySettings,
  RefreshTokenPolicy,
  ResourceScope,
  SecondFactorPolicy,
  SigningAlgorithm,
  Trust,
} from "../column-types.ts";
import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication, ofUser } from "./owners.ts";
import type { UserTables } from "./users.ts";

/**
 * OpenID Connect clients: programs that sign in an application's users. The application itself is
 * its first client and has no row here.
 */
export function clientsTables(
  kit: Kit,
  { applications, users }: Pick<ApplicationTables, "applications"> & Pick<UserTables, "users">,
) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, flag, json } = kit;

  const appId = ofApplication(kit, applications);

  const userId = ofUser(kit, users);

  const clients = table(
    "clients",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      name: text("name").notNull(),
      kind: text("kind").$type<ClientKind>().notNull(),
      redirectUris: json("redirect_uris").$type<string[]>().notNull(),
      postLogoutRedirectUris: json("post_logout_redirect_uris").$type<string[]>().notNull(),
      backchannelLogoutUri: text("backchannel_logout_uri"),
      /** The scopes that it may request. */
      scopes: json("scopes").$type<string[]>().notNull(),
      consent: text("consent").$type<ConsentPolicy>().notNull(),
      requirePkce: flag("require_pkce").notNull(),
      idTokenAlg: text("id_token_alg").$type<SigningAlgorithm>().notNull(),
      idTokenClaims: text("id_token_claims").$type<IdTokenClaimsPolicy>().notNull(),
      refreshTokens: text("refresh_tokens").$type<RefreshTokenPolicy>().notNull(),
      /** Public keys for `private_key_jwt`; null if it has none. */
      jwks: json("jwks").$type<{ keys: Record<string, unknown>[] }>(),
      /** Trusted tokens of other issuers. */
      trusts: json("trusts").$type<Trust[]>().notNull(),
      assertionAudience: text("assertion_audience").$type<AssertionAudience>().notNull(),
      /** The names of groups whose members it signs in; null: everybody. */
      allowedGroups: json("allowed_groups").$type<string[]>(),
      /** Where people start it, from their account page. */
      launchUrl: text("launch_url"),
      /** The identifiers of resources that it may ask tokens for. */
      resources: json("resources").$type<string[]>().notNull(),
      /** The scopes of these that it may request; null: all. */
      resourceScopes: json("resource_scopes").$type<string[]>(),
      /** The resources that it may exchange tokens for (RFC 8693). */
      exchangeTo: json("exchange_to").$type<string[]>().notNull(),
      /** The resources that it serves: it may exchange the tokens that it receives. */
      audienceOf: json("audience_of").$type<string[]>().notNull(),
      /** Whether it may sign people in on devices without a browser (RFC 8628). */
      deviceGrant: flag("device_grant").notNull(),
      /** The second-factor policy for its users; null: off. */
      secondFactor: text("second_factor").$type<SecondFactorPolicy>(),
      /** Null: optional, and the metadata does not mention it. */
      dpop: text("dpop").$type<DpopPolicy>(),
      /** Whether its proofs need a nonce of this service. */
      dpopNonce: flag("dpop_nonce").notNull(),
      profile: text("profile").$type<ClientProfile>(),
      /** Null: it is not of kind `proxy`. */
      proxy: json("proxy").$type<ProxySettings>(),
      /** The lives of its logins, where they are shorter than the application's; null: those. */
      loginIdleSeconds: integer("login_idle_seconds"),
      loginAbsoluteSeconds: integer("login_absolute_seconds"),
      /** Its live logins of a user; null: only the application's maximum counts. */
      maxLogins: integer("max_logins"),
      /** Null: the application's. */
      refreshGraceSeconds: integer("refresh_grace_seconds"),
      /** Whether it takes sign-ins by organizations' providers. */
      companySignIn: flag("company_sign_in").notNull().default(false),
      /** Of a machine: the organization that its tokens name, and that it ends with. */
      organizationId: text("organization_id"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
      /** Accurate to an hour. */
      lastUsedAt: instant("last_used_at"),
      disabledAt: instant("disabled_at"),
    },
    (t) => [
      index("clients_app_id").on(t.appId),
      index("clients_organization_id")
        .on(t.organizationId)
        .where(sql`organization_id IS NOT NULL`),
    ],
  );
  const clientId = () =>
    text("client_id")
      .notNull()
      .references(() => clients.id, { onDelete: "cascade" });

  const clientSecrets = table(
    "client_secrets",
    {
      id: text("id").primaryKey(),
      clientId: clientId(),
      secretDigest: text("secret_digest").notNull(),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at"),
      revokedAt: instant("revoked_at"),
    },
    (t) => [
      uniqueIndex("client_secrets_secret_digest").on(t.secretDigest),
      index("client_secrets_client_id").on(t.clientId),
    ],
  );

  /** Pushed authorization requests (RFC 9126). A row is deleted when it is used. */
  const authorizationRequests = table(
    "authorization_requests",
    {
      /** Of the `request_uri`. */
      digest: text("digest").primaryKey(),
      appId: appId(),
      /** A client's id, or the application's for its first client. */
      clientId: text("client_id").notNull(),
      parameters: json("parameters").$type<Record<string, string>>().notNull(),
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("authorization_requests_expires_at").on(t.expiresAt),
      index("authorization_requests_app_id").on(t.appId),
    ],
  );

  /** `jti` of client assertions (RFC 7523 §3) and DPoP proofs that were used, until they expire. */
  const usedAssertions = table(
    "used_assertions",
    { digest: text("digest").primaryKey(), expiresAt: instant("expires_at").notNull() },
    (t) => [index("used_assertions_expires_at").on(t.expiresAt)],
  );

  /** The scopes that a user has granted to a client that asks. */
  const consents = table(
    "consents",
    {
      userId: userId(),
      /** Of `clients`, or the URL of an unregistered client. */
      clientId: text("client_id").notNull(),
      scopes: json("scopes").$type<string[]>().notNull(),
      /** Digest of the document that the user saw, of such a client. */
      document: text("document"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.userId, t.clientId] }), index("consents_client_id").on(t.clientId)],
  );

  /** APIs that tokens are issued for (RFC 8707). */
  const resources = table(
    "resources",
    {
      /** An https URI, the `aud` of its tokens: unambiguous in the whole service. */
      identifier: text("identifier").primaryKey(),
      appId: appId(),
      name: text("name").notNull(),
      scopes: json("scopes").$type<ResourceScope[]>().notNull(),
      accessTokenSeconds: integer("access_token_seconds").notNull(),
      /** Whether unregistered clients may ask for it. */
      clientDocuments: flag("client_documents").notNull(),
      /** Whether its tokens may rest on an organization's provider alone. */
      companySignIn: flag("company_sign_in").notNull().default(false),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [index("resources_app_id").on(t.appId)],
  );

  /** Unregistered clients that a user has allowed or that are blocked. */
  const clientDocuments = table("client_documents", {
    /** Its client id, which is the URL of its document. */
    url: text("url").primaryKey(),
    /** The name in its document; null if it was blocked before anybody used it. */
    name: text("name"),
    /** Digest of the parts that users consent to. */
    digest: text("digest"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    blockedAt: instant("blocked_at"),
  });

  return { clients, clientSecrets, authorizationRequests, usedAssertions, consents, resources, clientDocuments };
}

export type ClientTables = ReturnType<typeof clientsTables>;
