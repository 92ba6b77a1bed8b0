import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer } from "../../src/process/server.ts";
import { freePort } from "../support/free-port.ts";
import { authorizeUrl } from "../support/openid.ts";
import { basic, newParty, post, refreshWith, tokensFor, userInfo, type Party } from "../support/openid-tokens.ts";
import { Visitor } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { answer } from "./in-process.ts";

const all = { scope: "openid profile email offline_access" };

let running: Awaited<ReturnType<typeof startTestService>>;
let party: Party;
beforeAll(async () => {
  // At the same address after a restart: browsers and tokens know it.
  const listen = { host: "127.0.0.1", port: await freePort(), tls: undefined };
  running = await startTestService("sqlite", { listen });
  party = await newParty(running.service);
});
afterAll(async () => await running.stop());

/** What a client and a browser have: tokens, a pushed request, a browser session. */
async function inHand(service: TestService) {
  const visitor = new Visitor();
  const tokens = await tokensFor(service, party, all, visitor);
  const asked = { response_type: "code", redirect_uri: party.client.redirectUris[0] ?? "", scope: "openid" };
  const { body } = await post(service, "/oauth2/par", asked, basic(party));
  return { visitor, tokens, requestUri: String(body["request_uri"]) };
}

async function expectGood(service: TestService, { visitor, tokens, requestUri }: Awaited<ReturnType<typeof inHand>>) {
  expect((await userInfo(service, tokens.access_token)).body).toMatchObject({ email: party.email });
  const refreshed = await refreshWith(service, party, tokens.refresh_token);
  expect([refreshed.status, refreshed.body["error"]]).toEqual([200, undefined]);
  const query = new URLSearchParams({ client_id: party.client.id, request_uri: requestUri });
  const pushed = await visitor.get(`${service.url}/oauth2/authorize?${query.toString()}`);
  expect(pushed.location.searchParams.has("code")).toBe(true);
  const hinted = { prompt: "none", id_token_hint: tokens.id_token };
  const silent = await visitor.get(authorizeUrl(service, party.client, hinted));
  expect(silent.location.searchParams.has("code")).toBe(true);
}

it("a rotation of the master key leaves clients their secrets, tokens, pushed requests and single sign-on", async () => {
  const { service, restart } = running;
  const before = await inHand(service);
  const keyFile = join(service.dataDir, "master.key");
  const old = readFileSync(keyFile, "utf8");
  await answer(["master-key", "rotate", "--yes", "--data", service.dataDir], { cwd: service.dataDir });
  expect(readFileSync(keyFile, "utf8")).not.toBe(old);
  await restart();
  await expectGood(service, before);
});

it("a copy of the database to PostgreSQL takes them along", async () => {
  const { service } = running;
  const before = await inHand(service);
  const { dataDir, config, clock } = service;
  const url = await createTestDatabase();
  await answer(["db", "copy", "--to", url, "--data", dataDir], { cwd: dataDir });
  const [masterKey] = readFileSync(join(dataDir, "master.key"), "utf8").trim().split("\n");
  await service.server.close();
  const copied = { ...config, masterKey, database: { url, poolSize: 5 } };
  const server = await startServer(copied, { clock: () => clock.now });
  try {
    await expectGood({ ...service, url: server.url, server }, before);
  } finally {
    await server.close();
  }
});
