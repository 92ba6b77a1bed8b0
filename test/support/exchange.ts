import type { NewClient } from "../../src/applications/clients/rules.ts";
import { grantType } from "../../src/openid/grants/token-exchange.ts";
import { basic, newParty, post, tokensFor } from "./openid-tokens.ts";
import { createResource, newMachine } from "./resources.ts";
import type { TestService } from "./service.ts";

export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

type Credentials = Parameters<typeof basic>[0];

const scopesNamed = (...names: string[]) => names.map((name) => ({ name, sentence: `May ${name}` }));

/**
 * A program with which people call the API of `orders`; its API's own client (`agent`), which acts
 * for them at `archive`; and the token of somebody, with all scopes of `orders`.
 */
export async function newExchange(
  service: TestService,
  changes: { program?: Partial<NewClient>; agent?: Partial<NewClient>; orders?: string[]; archive?: string[] } = {},
) {
  const app = await service.createApp();
  const orders = await createResource(service, app, {
    scopes: scopesNamed(...(changes.orders ?? ["read", "write", "send"])),
    accessTokenSeconds: 600,
  });
  const archive = await createResource(service, app, {
    scopes: scopesNamed(...(changes.archive ?? ["read", "write", "erase"])),
  });
  const program = await newParty(service, { resources: [orders], ...changes.program }, app);
  const agent = await newMachine(service, { exchangeTo: [archive], audienceOf: [orders], ...changes.agent }, app);
  const scope = ["openid", "offline_access", ...(changes.orders ?? ["read", "write", "send"])].join(" ");
  const tokens = await tokensFor(service, program, { resource: orders, scope });
  return { service, app, orders, archive, program, agent, tokens, subject: tokens.access_token };
}

/** The form of an exchange; null leaves a parameter out. */
export function exchangeForm(form: Record<string, string | null>): Record<string, string> {
  const all = { grant_type: grantType, subject_token_type: accessTokenType, ...form };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}

export async function exchange(service: TestService, client: Credentials, form: Record<string, string | null>) {
  return await post(service, "/oauth2/token", exchangeForm(form), basic(client));
}

/** The exchanged token. Throws if there is none. */
export async function exchanged(service: TestService, client: Credentials, form: Record<string, string | null>) {
  const { status, body } = await exchange(service, client, form);
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  return String(body["access_token"]);
}

export async function introspected(service: TestService, asking: Credentials, token: string) {
  return (await post(service, "/oauth2/introspect", { token }, basic(asking))).body;
}
