import { hash } from "node:crypto";
import type { Client } from "../../src/clients/client.ts";
import { goodPassword, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export const codeVerifier = "v".repeat(64);
export const codeChallenge = hash("sha256", codeVerifier, "base64url");

let clients = 0;

/** A client of the application, enabled and confidential if `changes` says nothing else. */
export async function createTestClient(
  service: TestService,
  app: TestApp,
  changes: Partial<Client> = {},
): Promise<Client> {
  clients += 1;
  const client: Client = {
    id: `cli_test_${clients}`,
    appId: app.id,
    name: `Client ${clients}`,
    kind: "web",
    redirectUris: [`https://client${clients}.example/callback`],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    scopes: ["openid", "profile", "email", "offline_access"],
    consent: "none",
    requirePkce: false,
    idTokenAlg: "RS256",
    idTokenClaims: "granted",
    refreshTokens: "offline_access",
    jwks: null,
    createdAt: service.clock.now,
    updatedAt: service.clock.now,
    lastUsedAt: null,
    disabledAt: null,
    ...changes,
  };
  const { storage } = service.server.app;
  await storage.write(async (tx) => {
    await tx.db.insert(tx.tables.clients).values(client);
  });
  return client;
}

/** The address of an authorization request; null removes a parameter. */
export function authorizeUrl(
  service: TestService,
  client: Pick<Client, "id" | "redirectUris">,
  parameters: Record<string, string | null> = {},
): string {
  const query = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: client.redirectUris[0] ?? null,
    scope: "openid profile email",
    state: "st",
    ...parameters,
  };
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== null);
  return `${service.url}/oauth2/authorize?${new URLSearchParams(given).toString()}`;
}

/** Signs in by password for a client, and stops at what goes back to it. */
export async function authorize(
  service: TestService,
  client: Pick<Client, "id" | "redirectUris">,
  person: { email: string; password?: string },
  parameters: Record<string, string | null> = {},
  visitor = new Visitor(),
): Promise<Page> {
  const start = await visitor.get(authorizeUrl(service, client, parameters));
  if (!start.location.pathname.startsWith("/sign-in/")) throw new Error(`authorize answered ${start.status}`);
  const page = await visitor.get(start.location.href);
  return await visitor.submit(page, "/password", {
    email: person.email,
    password: person.password ?? goodPassword,
  });
}
