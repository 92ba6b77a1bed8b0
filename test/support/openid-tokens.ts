import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import { authorize, createTestClient } from "./openid.ts";
import { newEmail, signUp, Visitor } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

type Json = Record<string, unknown>;
type Answer = { status: number; headers: Headers; body: Json };

/** A client of a new application, and somebody who can sign in there. */
export type Party = { app: TestApp; client: Client; secret: string; email: string };

/** A client with a secret, if its kind has one. */
export async function newParty(service: TestService, changes: Partial<NewClient> = {}, app?: TestApp): Promise<Party> {
  const owner = app ?? (await service.createApp());
  const email = newEmail();
  await signUp(service, owner, { email, name: "Ada" });
  const client = await createTestClient(service, owner, changes);
  const { ctx } = service.server.app;
  const by = { kind: "cli", name: "test" } as const;
  const secret =
    client.kind === "web" ? (await clientSecrets.createSecret(ctx, { clientId: client.id }, by)).secret : "";
  return { app: owner, client, secret, email };
}

/** The service with such a party, for a test that needs both. */
export async function withParty(service: TestService, changes: Partial<NewClient> = {}, app?: TestApp) {
  return { service, party: await newParty(service, changes, app) };
}

/** The application itself, as its own client. */
export async function applicationParty(service: TestService, owner?: TestApp): Promise<Party> {
  const party = await newParty(service, {}, owner);
  const { app } = party;
  return { ...party, client: { ...party.client, id: app.id, redirectUris: [app.redirectUri] }, secret: app.apiKey };
}

/** Posts a form; an array of pairs can name a parameter twice. */
export async function post(
  service: TestService,
  path: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, { method: "POST", body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Json };
}

/** A client and its secret. */
type Credentials = { client: Pick<Client, "id">; secret: string };

export function basic({ client, secret }: Credentials): Record<string, string> {
  const pair = `${encodeURIComponent(client.id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Signs in at the authorization endpoint. Returns what the token endpoint needs. */
export async function codeFor(
  service: TestService,
  { client, email }: { client: Pick<Client, "id" | "redirectUris">; email: string },
  parameters: Record<string, string | null> = {},
  visitor = new Visitor(),
): Promise<Record<"grant_type" | "code" | "redirect_uri", string>> {
  const done = await authorize(service, client, { email }, parameters, visitor);
  const code = done.location.searchParams.get("code");
  if (code === null) throw new Error(`no code: ${done.status} ${done.location.href}`);
  return { grant_type: "authorization_code", code, redirect_uri: client.redirectUris[0] ?? "" };
}

/** Signs in and redeems the code. */
export async function tokensFor(
  service: TestService,
  party: Party,
  parameters: Record<string, string | null> = {},
  visitor = new Visitor(),
): Promise<Json & { access_token: string; refresh_token: string; id_token: string }> {
  const form = await codeFor(service, party, parameters, visitor);
  const { status, body } = await post(service, "/oauth2/token", form, basic(party));
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  return body as Json & { access_token: string; refresh_token: string; id_token: string };
}

export async function refreshWith(
  service: TestService,
  party: Credentials,
  refreshToken: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken, ...more };
  return await post(service, "/oauth2/token", form, basic(party));
}

export async function userInfo(service: TestService, accessToken: string): Promise<Answer> {
  const response = await fetch(`${service.url}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}
