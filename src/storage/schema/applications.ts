import type { ApplicationClaim, AppSettings, AuthMethods, Branding, CounterName } from "../column-types.ts";
import type { Kit } from "./kit.ts";
import { ofApplication } from "./owners.ts";

/** Applications with their settings, keys and secrets. */
export function applicationsTables(kit: Kit) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, flag, json } = kit;

  const applications = table("applications", {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    domain: text("domain"),
    redirectUris: json("redirect_uris").$type<string[]>().notNull(),
    authMethods: json("auth_methods").$type<AuthMethods>().notNull(),
    branding: json("branding").$type<Branding>().notNull(),
    settings: json("settings").$type<AppSettings>().notNull(),
    /** Null: none. Not in `settings`, because each validate reads it. */
    claims: json("claims").$type<ApplicationClaim[]>(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  });
  const appId = ofApplication(kit, applications);

  /**
   * Kept for good: tokens, webhooks and logs elsewhere still contain these ids, so they are never
   * reused.
   */
  const deletedApplications = table("deleted_applications", {
    id: text("id").primaryKey(),
    deletedAt: instant("deleted_at").notNull(),
  });

  const apiKeys = table(
    "api_keys",
    {
      id: text("id").primaryKey(),
      appId: appId(),
      keyDigest: text("key_digest").notNull(),
      label: text("label"),
      /** Accurate to an hour: see last-uses.ts. */
      lastUsedAt: instant("last_used_at"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at"),
      revokedAt: instant("revoked_at"),
    },
    (t) => [uniqueIndex("api_keys_key_digest").on(t.keyDigest), index("api_keys_app_id").on(t.appId)],
  );

  const oauthProviders = table(
    "oauth_providers",
    {
      appId: appId(),
      name: text("name").notNull(),
      clientId: text("client_id").notNull(),
      encryptedSecret: text("encrypted_secret").notNull(),
      teamId: text("team_id"),
      keyId: text("key_id"),
      issuer: text("issuer"),
      authorizationUrl: text("authorization_url"),
      tokenUrl: text("token_url"),
      userinfoUrl: text("userinfo_url"),
      jwksUrl: text("jwks_url"),
      /**
       * Only for a custom issuer: whether its verified addresses count as proven; null means yes.
       */
      trustsEmail: flag("trusts_email"),
      /**
       * Only for a custom issuer: its claim that means two factors, such as `amr=mfa`; null: none.
       */
      trustsSecondFactor: text("trusts_second_factor"),
      /** Only for a custom issuer: the claim that has the address; null: `email`. */
      emailClaim: text("email_claim"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.appId, t.name] })],
  );

  /**
   * Updated in the transaction of the counted change, because counting a million users takes too
   * long. The number is the sum of its shards, so that concurrent sign-ins do not wait for one row.
   */
  const applicationCounters = table(
    "application_counters",
    {
      appId: appId(),
      name: text("name").$type<CounterName>().notNull(),
      /** Days since 1970-01-01 UTC, for users by the day of their last sign-in. 0 for totals. */
      day: integer("day").notNull(),
      shard: integer("shard").notNull(),
      value: integer("value").notNull(),
    },
    (t) => [primaryKey({ columns: [t.appId, t.day, t.name, t.shard] }), index("application_counters_day").on(t.day)],
  );

  return { applications, deletedApplications, apiKeys, oauthProviders, applicationCounters };
}

export type ApplicationTables = ReturnType<typeof applicationsTables>;
