import { hash } from "node:crypto";
import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { goodPassword, Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

export const codeVerifier = "v".repeat(64);
export const codeChallenge = hash("sha256", codeVerifier, "base64url");

let created = 0;

/** A client of the application, of kind `web` if `changes` says nothing else, without a secret. */
export async function createTestClient(
  service: TestService,
  app: TestApp,
  changes: Partial<NewClient> = {},
): Promise<Client> {
  created += 1;
  const usual = {
    appId: app.id,
    name: `Client ${created}`,
    redirectUris: [`https://client${created}.example/callback`],
    scopes: ["openid", "profile", "email", "offline_access"],
  };
  const { ctx } = service.server.app;
  const actor = { kind: "cli", name: "test" } as const;
  const { client } = await clients.create(ctx, { ...usual, ...changes }, { mayGenerate: false }, { actor });
  const found = await clients.find(ctx, ctx.storage.reader, client.id);
  if (!found) throw new Error("the client is disabled");
  return found.client;
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
