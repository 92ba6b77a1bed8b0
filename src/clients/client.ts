import type { Application } from "../applications/application.ts";
import type { Row } from "../storage/storage.ts";

/**
 * A program that signs in an application's users by OpenID Connect (docs/spec/openid.md). Instants
 * are epoch milliseconds.
 */
export type Client = Row<"clients">;

/** An enabled client, and the application whose users it signs in. */
export type UsableClient = { client: Client; application: Application };

/**
 * The application as its own first client: its id, its redirect URIs, and its API keys as secrets.
 */
export function applicationAsClient(application: Application): Client {
  return {
    id: application.id,
    appId: application.id,
    name: application.name,
    kind: "web",
    redirectUris: application.redirectUris,
    postLogoutRedirectUris: application.redirectUris,
    backchannelLogoutUri: null,
    scopes: ["openid", "offline_access", ...application.settings.scopes],
    consent: "none",
    requirePkce: false,
    idTokenAlg: "RS256",
    idTokenClaims: "granted",
    refreshTokens: "offline_access",
    jwks: null,
    createdAt: application.createdAt,
    updatedAt: application.updatedAt,
    lastUsedAt: null,
    disabledAt: null,
  };
}
