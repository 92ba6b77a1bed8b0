import { getTableName } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import type { Config } from "../../../src/config/config.ts";
import { sqliteTables } from "../../../src/storage/schema.ts";
import { localDocuments, useDocumentServer } from "../../support/client-documents.ts";
import { authorizeUrl, codeChallenge, createTestClient } from "../../support/openid.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { useMailServer } from "../../support/mail.ts";
import { initiate, newEmail, Visitor } from "../../support/person.ts";
import { createResource } from "../../support/resources.ts";
import { serviceOfTest, updateApp, type TestService } from "../../support/service.ts";
import { otherTables, strangersTables } from "./strangers-tables.ts";

const documents = useDocumentServer();
const server = await useMailServer();

describe("the security page", () => {
  it("L11: says of every table of the schema whether strangers can write it", () => {
    const all = Object.values(sqliteTables).map((table) => getTableName(table));
    expect([...strangersTables().keys(), ...otherTables()].toSorted()).toEqual(all.toSorted());
  });
});

const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };

/** A service that takes so many calls a minute of one network. */
async function limitedTo(authentication: number, more: Partial<Config> = {}): Promise<TestService> {
  const rateLimits = { authentication, userManagement: 100, applicationManagement: 100, webhooks: 100 };
  return await serviceOfTest("sqlite", { trustedProxies: ["127.0.0.1"], rateLimits, ...more });
}

/** How many of so many calls, each from a network of its own, are refused with 429. */
async function refusedOf(count: number, send: (headers: Record<string, string>) => Promise<number>): Promise<number> {
  const networks = Array.from({ length: count }, (_, index) => `203.0.${Math.floor(index / 250)}.${(index % 250) + 1}`);
  const statuses: number[] = [];
  for (const network of networks) statuses.push(await send({ "x-forwarded-for": network }));
  return statuses.filter((status) => status === 429).length;
}

describe("all networks together", () => {
  it("L11: begin as much for a client in a minute as 20 networks may, or 100 for sign-ins; other clients continue", async () => {
    const service = await limitedTo(1);
    const app = await service.createApp();
    const [tv, other] = [
      await createTestClient(service, app, { kind: "device", redirectUris: [] }),
      await createTestClient(service, app, { kind: "device", redirectUris: [] }),
    ];
    const program = await createTestClient(service, app, { kind: "native" });
    service.clock.advance(60_000 - (service.clock.now % 60_000));
    const begin =
      ({ id }: { id: string }) =>
      async (headers: Record<string, string>) =>
        (await post(service, "/oauth2/device_authorization", { client_id: id, scope: "openid" }, headers)).status;
    expect(await refusedOf(23, begin(tv))).toBe(3);
    service.clock.advance(60_000);
    expect(await refusedOf(20, begin(tv))).toBe(0);
    const limited = await post(service, "/oauth2/device_authorization", { client_id: tv.id, scope: "openid" });
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);

    const url = authorizeUrl(service, program, pkce);
    const push = async (headers: Record<string, string>) =>
      (await post(service, "/oauth2/par", Object.fromEntries(new URL(url).searchParams), headers)).status;
    service.clock.advance(60_000);
    expect(await refusedOf(23, push)).toBe(3);
    service.clock.advance(60_000);
    expect(await refusedOf(102, async (headers) => (await new Visitor(headers).get(url)).status)).toBe(2);
    expect(await begin(other)({ "x-forwarded-for": "203.0.113.250" })).toBe(200);
  });

  it("L11: begin no more where an application's own calls have another limit, and stop no call of its server", async () => {
    const service = await limitedTo(1);
    const app = await service.createApp();
    await updateApp(service, app, { settings: { rateLimits: { authentication: 50 } } });
    const tv = await createTestClient(service, app, { kind: "device", redirectUris: [] });
    const web = await createTestClient(service, app);
    const by = { kind: "cli", name: "test" } as const;
    const { secret } = await clientSecrets.createSecret(service.server.app.ctx, { clientId: web.id }, by);
    service.clock.advance(60_000 - (service.clock.now % 60_000));
    const asked = { client_id: tv.id, scope: "openid" };
    const begin = async (headers: Record<string, string>) =>
      (await post(service, "/oauth2/device_authorization", asked, headers)).status;
    expect(await refusedOf(23, begin)).toBe(3);
    service.clock.advance(60_000);
    const open = async (headers: Record<string, string>) =>
      (await new Visitor(headers).get(`${service.url}/account?app_id=${app.id}`)).status;
    expect(await refusedOf(102, open)).toBe(2);
    expect(await initiate(service, app)).toMatchObject({ sessionId: expect.any(String) });
    const pushed = Object.fromEntries(new URL(authorizeUrl(service, web)).searchParams);
    const push = async () => (await post(service, "/oauth2/par", pushed, basic({ client: web, secret }))).status;
    for (let call = 1; call <= 22; call += 1) expect(await push()).toBe(201);
  });

  it("L11: begin no more by naming many unregistered clients", async () => {
    const service = await limitedTo(1, localDocuments);
    const app = await service.createApp();
    await updateApp(service, app, { settings: { clientDocuments: "any" } });
    const resource = await createResource(service, app, { clientDocuments: true });
    service.clock.advance(60_000 - (service.clock.now % 60_000));
    const push = async (headers: Record<string, string>) => {
      const client = { id: documents.serve(), redirectUris: ["https://agent.example/callback"] };
      const asked = new URL(authorizeUrl(service, client, { scope: "read", resource, ...pkce }));
      return (await post(service, "/oauth2/par", Object.fromEntries(asked.searchParams), headers)).status;
    };
    expect(await refusedOf(23, push)).toBe(3);
  });
});

it("L11: mails that somebody asks for keep 50 sign-ins an hour of a network beyond their end, no matter who has an account", async () => {
  const service = await serviceOfTest("sqlite", { mail: server.mail });
  const app = await service.createApp();
  for (let turn = 0; turn < 53; turn += 1) {
    const { authUrl } = await initiate(service, app);
    const visitor = new Visitor();
    const form = await visitor.get(`${authUrl}/forgot-password`);
    expect((await visitor.submit(form, "/forgot-password", { email: newEmail() })).status).toBe(200);
  }
  service.clock.advance(11 * 60_000);
  await service.server.app.sweep();
  const { db, tables } = service.server.app.ctx.storage.reader;
  expect(await db.select().from(tables.signInSessions)).toHaveLength(50);
});
