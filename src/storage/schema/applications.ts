import type { AppSettings, AuthMethods, Branding } from "../../applications/application.ts";
import type { Kit } from "../kit.ts";

/** Applications, and what they hold secrets for. */
export function applicationsTables(kit: Kit) {
  const { table, index, uniqueIndex, primaryKey, text, instant, json } = kit;

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

  return { applications, apiKeys, oauthProviders };
}

export type ApplicationTables = ReturnType<typeof applicationsTables>;
