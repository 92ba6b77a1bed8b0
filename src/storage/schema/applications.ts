import type { AppSettings, AuthMethods, Branding } from "../../applications/application.ts";
import type { CounterName } from "../../applications/counter-store.ts";
import type { Kit } from "../kit.ts";
import { ofApplication } from "./owners.ts";

/** Applications, and what they hold secrets for. */
export function applicationsTables(kit: Kit) {
  const { table, index, uniqueIndex, primaryKey, text, integer, instant, json } = kit;

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
  const appId = ofApplication(kit, applications);

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
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.appId, t.name] })],
  );

  /**
   * Counted in the transaction that changes what is counted, because counting a million users takes too long. A number is the sum of its
   * shards: so that sign-ins at the same time do not all wait for one row.
   */
  const applicationCounters = table(
    "application_counters",
    {
      appId: appId(),
      name: text("name").$type<CounterName>().notNull(),
      /** UTC days since 1970 for users by the day of their last sign-in; 0 for totals. */
      day: integer("day").notNull(),
      shard: integer("shard").notNull(),
      value: integer("value").notNull(),
    },
    (t) => [primaryKey({ columns: [t.appId, t.day, t.name, t.shard] }), index("application_counters_day").on(t.day)],
  );

  return { applications, apiKeys, oauthProviders, applicationCounters };
}

export type ApplicationTables = ReturnType<typeof applicationsTables>;
