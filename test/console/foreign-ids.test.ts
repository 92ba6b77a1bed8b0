import { beforeAll, expect, test } from "vitest";
import * as trustedBrowsers from "../../src/factors/trusted-browsers.ts";
import * as apiKeys from "../../src/applications/keys.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import * as methods from "../../src/credentials/methods/service.ts";
import * as personalTokens from "../../src/credentials/personal/service.ts";
import { pathOf } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { newWebhookSecret } from "../../src/records/webhooks/signature.ts";
import * as organizations from "../../src/organizations/service.ts";
import { openConsole } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { updateApp } from "../support/service.ts";
import { newSomebody } from "./somebody.ts";

const service = useService();
const by = { actor: { kind: "cli", name: "test" } } as const;
const ctx = () => service.server.app.ctx;

/** The ids of everything that an application has. */
async function everythingOf(name: string): Promise<Record<string, string>> {
  const app = await service.createApp({ name });
  const { id: userId, clientId, loginId } = await newSomebody(service, app);
  const [method] = await methods.list(ctx().storage.reader, userId);
  const [browser] = await trustedBrowsers.list(ctx(), userId);
  await givePersonalToken(service, userId);
  const [token] = await personalTokens.list(ctx(), userId, { all: false });
  const [key] = await apiKeys.listKeys(ctx(), app.id);
  const [secret] = await clientSecrets.listSecrets(ctx(), clientId);
  await updateApp(service, app, { settings: { organizations: "on" } });
  const organization = await organizations.create(ctx(), app, { name, owner: userId }, by);
  const input = { url: "https://shop.example/hook", events: ["user.created"], secret: newWebhookSecret(ctx().random) };
  const { id } = await webhooks.create(ctx(), app.id, input, by);
  return {
    appId: app.id,
    userId,
    clientId,
    loginId,
    id,
    methodId: method?.id ?? "",
    browserId: browser?.id ?? "",
    tokenId: token?.id ?? "",
    keyId: key?.id ?? "",
    secretId: secret?.id ?? "",
    orgId: organization.id,
    invitationId: "inv_x",
    domain: "acme.example",
    event: "evt_x",
    group: "names",
    provider: "google",
  };
}

let own: Record<string, string>;
let foreign: Record<string, string>;

beforeAll(async () => {
  own = await everythingOf("Own");
  foreign = await everythingOf("Foreign");
});

const parents = ["appId", "userId", "id"];
const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
const withIds = consoleRoutes.filter(({ path, isGlobal }) => namesIn(path).length > 0 && !isGlobal);
const ofThings = withIds.filter(({ path }) =>
  namesIn(path).some((name) => /^(?:user|login|method|client|key|app|org)Id$/u.test(name) || name === "id"),
);
const nested = withIds.filter(({ path }) =>
  namesIn(path).some((name) => ["loginId", "methodId", "tokenId", "clientId", "keyId", "orgId"].includes(name)),
);

async function send({ method, path }: (typeof withIds)[number], ids: Record<string, string>) {
  const console = await openConsole(service, { appId: own["appId"] ?? "" });
  const { token = "" } = (await console.get("/overview")).form("/sign-out").fields;
  const address = `${console.url}${pathOf({ path }, ids)}`;
  if (method === "GET") return await console.visitor.get(address);
  const form = { token, confirmation: ids["appId"] ?? "", group: "staff", name: "staff", evenLast: "on" };
  return await console.visitor.post(address, form);
}

async function entries(): Promise<number> {
  return (await audit.list(ctx(), { appId: foreign["appId"], limit: 1000 })).length;
}

test.each(ofThings.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "J8: an operator of one application does not find another one's ids: %s",
  async (_line, route) => {
    const before = await entries();
    const { status, text } = await send(route, foreign);
    expect(status).toBe(404);
    expect(text).not.toContain("Foreign");
    expect(await entries()).toBe(before);
  },
);

test.each(nested.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "J8: nor below what is theirs: %s",
  async (_line, route) => {
    const before = await entries();
    const mixed = Object.fromEntries(
      Object.entries(foreign).map(([name, id]) => [name, parents.includes(name) ? (own[name] ?? "") : id]),
    );
    expect((await send(route, mixed)).status).toBe(404);
    expect(await entries()).toBe(before);
  },
);
