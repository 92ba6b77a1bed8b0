import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { findEndpointOfClient } from "../../src/records/webhooks/endpoint-store.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import { basic, post } from "./openid-tokens.ts";
import { authorize, authorizeUrl } from "./openid.ts";
import { Visitor } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

const actor = { kind: "cli", name: "test" } as const;

const redirectUri = "https://wiki.example/callback";

let created = 0;

export type SignedInByClient = Record<"accessToken" | "refreshToken" | "idToken" | "loginId", string>;

/** A client of the application that always gets refresh tokens; its id. */
export async function createClient(
  service: TestService,
  app: TestApp,
  changes: Partial<NewClient> = {},
): Promise<string> {
  created += 1;
  const id = `client_${created}`;
  const usual = { id, appId: app.id, name: "Wiki", refreshTokens: "always" } as const;
  const { ctx } = service.server.app;
  await clients.create(ctx, { ...usual, redirectUris: [redirectUri], ...changes }, { secret: secretOf(id) }, { actor });
  return id;
}

/** The secret of a client of `createClient`. */
export const secretOf = (id: string): string => `secret-of-${id}.${"0123456789".repeat(3)}`;

/** Signs in in this browser by a client of `createClient`: by single sign-on, if it can. */
export async function signInByClient(
  service: TestService,
  email: string,
  clientId: string,
  visitor = new Visitor(),
): Promise<SignedInByClient> {
  const client = { id: clientId, redirectUris: [redirectUri] };
  const asked = { scope: "openid email" };
  const silent = await visitor.get(authorizeUrl(service, client, { ...asked, prompt: "none" }));
  const done = silent.location.searchParams.has("code")
    ? silent
    : await authorize(service, client, { email }, asked, visitor);
  const code = done.location.searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
  const { status, body } = await post(service, "/oauth2/token", form, basic({ client, secret: secretOf(clientId) }));
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  const accessToken = String(body["access_token"]);
  return {
    accessToken,
    refreshToken: String(body["refresh_token"]),
    idToken: String(body["id_token"]),
    loginId: await logins.loginIdOf(service.server.app.ctx, accessToken),
  };
}

/** The id of the endpoint that receives a client's logout tokens. */
export async function receiverOf({ server }: TestService, clientId: string): Promise<string> {
  return (await findEndpointOfClient(server.app.ctx.storage.reader, clientId))?.id ?? "none";
}
