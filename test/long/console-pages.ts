import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as applications from "../../src/applications/service.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import type { Config } from "../../src/config/config.ts";
import { keptResults } from "../../src/console/parts/kept.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { newWebhookSecret } from "../../src/records/webhooks/signature.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import * as groups from "../../src/users/groups/service.ts";
import { freePort } from "../support/free-port.ts";
import { follow, makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { Visitor } from "../support/person.ts";
import type { TestService } from "../support/service.ts";
import { consoleFill, historyEvents, historyStarts, largeOrganization, personOfHistory } from "./console-fill.ts";

const maxMilliseconds = 100;
/** The same work takes longer on a machine whose caches others use. */
const onBusyMachine = 2 * maxMilliseconds;
/** How often a page is asked: in general, if it takes too long, and before the test fails. */
const [turns, turnsIfSlow, maxTurns] = [3, 8, 100];
const actor = { kind: "cli", name: "test" } as const;
const rareAppId = "app_90";

const port = await freePort();
const team = { host: "127.0.0.1", port, baseUrl: `http://127.0.0.1:${port}` };
const smtp = { host: "127.0.0.1", port: 9, user: undefined, password: undefined, tls: "none" } as const;

export const consoleSettings: Partial<Config> = {
  console: team,
  mail: { server: smtp, from: { name: undefined, address: "auth@service.example" } },
};

type Ids = { endpointId: string; operator: TestOperator; kid: string };

/** Everything else that pages of the console show. `run`: one statement, on the same database. */
export async function fillForConsole(
  service: TestService,
  { appId, users, run }: { appId: string; users: number; run: (sql: string) => Promise<unknown> },
): Promise<Ids> {
  const { ctx } = service.server.app;
  for (let n = 0; n < 90; n += 1) await service.createApp();
  const endpoint = { events: ["user.login"], secret: newWebhookSecret(ctx.random) };
  const { id: endpointId } = await webhooks.create(
    ctx,
    appId,
    { url: "https://hooks.example/", ...endpoint },
    { actor },
  );
  const redirectUris = ["https://app.example/callback"];
  for (let n = 0; n < 60; n += 1) {
    await clients.create(ctx, { id: `cli_${n}`, appId, name: `Program ${n}`, redirectUris }, {}, { actor });
    await groups.create(ctx, appId, `group-${n}`, { actor });
  }
  const operator = await makeOperator(service, "owner");
  await providers.set(ctx, appId, { name: "google", clientId: "id", secret: "secret" }, actor);
  await signingKeys.rotateByCommand(ctx, { atOnce: true, dryRun: false }, { actor });
  await applications.update(ctx, appId, { settings: { organizations: "on" } }, actor);
  const [key] = await signingKeys.list(ctx);
  const about = { appId, rareAppId, endpointId, users, now: service.clock.now };
  for (const sql of consoleFill(service.dialect, about)) await run(sql);
  return { endpointId, operator, kid: key?.kid ?? "" };
}

/** What is asked of each page: filters of which an index covers only a part, later pages. */
function addresses({ endpointId, operator, kid }: Ids): Record<string, string[]> {
  const app = "/applications/app_big";
  const person = `/people/${personOfHistory}`;
  const middle = historyStarts + (historyEvents / 2) * 1000;
  const ranges = ["day", "week", "month", "year"];
  return {
    "/overview": [
      ...ranges.flatMap((range) => [`/overview?range=${range}`, `/overview?range=${range}&app=app_big`]),
      `/overview?from=${new Date(middle).toISOString().slice(0, 13)}:00&until=${new Date(middle + 3_600_000).toISOString().slice(0, 13)}:00`,
    ],
    "/people": [
      "",
      "?q=user500000@example.com",
      "?after=1700500000000.usr_1000500000",
      ...["active", "invited", "pending", "disabled", "blocked"].map((state) => `?state=${state}`),
      "?method=passkey",
      "?method=none&factor=none",
      "?factor=none&q=name 4",
      ...[
        "",
        "&q=name 4",
        "&q=nobody",
        "&q=name 4&state=active&sort=-name",
        "&q=name 4&sort=-createdAt",
        "&state=disabled",
        "&state=disabled&sort=-lastLoginAt",
        "&sort=lastLoginAt",
        "&sort=-lastLoginAt",
        "&group=everybody",
        "&group=everybody&q=name 99999",
        "&group=everybody&state=disabled",
      ].map((filter) => `?app=app_big${filter}`),
    ].map((query) => `/people${query}`),
    "/bulk": ["?act=disable&id.usr_1000000500=", "?act=enable&all=yes&state=disabled", "?act=disable&all=yes"].map(
      (query) => `/bulk${query}`,
    ),
    "/people/:userId": [person, `${person}?before=${middle}.audit.aud_3000100000`, "/people/usr_1000000500"],
    "/applications": ["/applications", "/applications?after=app_50"],
    "/applications/:appId": [app],
    "/applications/:appId/branding": [`${app}/branding`],
    "/applications/:appId/preview": [`${app}/preview`],
    "/applications/:appId/texts": [`${app}/texts`, `${app}/texts?shows=mail.verify&lang=ar`],
    "/applications/:appId/texts/preview": [`${app}/texts/preview`, `${app}/texts/preview?shows=account`],
    "/applications/:appId/keys": [`${app}/keys`],
    "/applications/:appId/providers": [`${app}/providers`],
    "/applications/:appId/own-provider": [`${app}/own-provider`],
    "/applications/:appId/providers/:provider": [`${app}/providers/google`, `${app}/providers/apple`],
    "/applications/:appId/programs/:program": [`${app}/programs/grafana`],
    "/applications/:appId/clients": [`${app}/clients`],
    "/applications/:appId/clients/:clientId": [`${app}/clients/cli_7`],
    "/applications/:appId/groups": [`${app}/groups`],
    "/applications/:appId/organizations": [
      "",
      "?after=org_1000005000",
      "?q=company 77",
      "?q=nobody",
      "?state=ownerless",
    ].map((query) => `${app}/organizations${query}`),
    "/applications/:appId/organizations/:orgId": ["", "?after=usr_1000000500"].map(
      (query) => `${app}/organizations/${largeOrganization}${query}`,
    ),
    "/applications/:appId/try": [`${app}/try`],
    "/applications/:appId/try/back": [`${app}/try/back?code=none&state=none`],
    "/webhooks": ["/webhooks", "/webhooks?app=app_big"],
    "/webhooks/new": ["/webhooks/new"],
    "/webhooks/:id": ["", "?state=waiting", "?state=delivered", "?state=failed", "?after=evt_1000050000"].map(
      (query) => `/webhooks/${endpointId}${query}`,
    ),
    "/webhooks/:id/deliveries/:event": [`/webhooks/${endpointId}/deliveries/evt_1000000007`],
    "/webhooks/events/:event": ["/webhooks/events/evt_1000000007"],
    "/mail": ["/mail", "/mail?after=1.a", "/mail?list=sent", "/mail?list=given-up"],
    "/mail/texts": ["/mail/texts", "/mail/texts?app=app_big&language=ja"],
    "/mail/texts/preview": ["/mail/texts/preview"],
    "/keys": ["/keys"],
    "/keys/:kid": [`/keys/${kid}`],
    "/agents": ["/agents"],
    "/capacity": ["/capacity"],
    "/audit": [
      "",
      "?result=failure",
      "?action=user.disable",
      "?app=app_big&action=user.disable",
      `?app=${rareAppId}&action=user.login`,
      `?app=${rareAppId}&action=user.logout`,
      `?app=${rareAppId}&result=success`,
      "?app=app_big&action=user.login&result=failure",
      `?user=${personOfHistory}&action=user.disable`,
      `?user=${personOfHistory}&action=user.create`,
      `?user=${personOfHistory}&result=failure`,
      `?user=${personOfHistory}&app=${rareAppId}`,
      "?actor=cli:root&action=user.disable",
      "?actor=cli:root&action=user.login",
      "?address=192.0.2.7&action=user.disable",
      "?address=198.51.100.7&action=user.disable",
      "?address=198.51.100.7&app=app_big&result=failure",
      `?app=${rareAppId}&action=user.login&since=2025-01-01&before=2026-01-01`,
      "?action=user.login&after=1760500000000.aud_1000500000",
    ].map((query) => `/audit${query}`),
    "/service": ["/service"],
    "/search": ["/search", "/search?q=evt_1000000007"],
    "/operators": ["/operators"],
    "/operators/:id": [`/operators/${operator.id}`],
  };
}

/** In ms, of this process and, on PostgreSQL, of the server's processes for this database. */
function processorTime(backends: readonly number[]): number {
  const { user, system } = process.cpuUsage();
  const server = backends.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6);
  return (user + system) / 1000 + server.reduce((sum, time) => sum + time, 0);
}

/** The least of several turns, so that it is not what else the machine does. */
async function leastTimes(
  asked: readonly string[],
  ask: (address: string) => Promise<number>,
  backends: () => Promise<number[]>,
): Promise<[address: string, milliseconds: number][]> {
  const least = new Map<string, number>();
  for (const address of asked) {
    const turnsFor = (took: number): number =>
      took <= maxMilliseconds ? turns : took <= onBusyMachine ? turnsIfSlow : maxTurns;
    for (let turn = 0; turn < turnsFor(least.get(address) ?? Infinity); turn += 1) {
      const pids = await backends();
      const before = processorTime(pids);
      const status = await ask(address);
      const took = processorTime(pids) - before;
      if (![200, 400, 422].includes(status)) throw new Error(`${address} answers ${status}`);
      least.set(address, Math.min(least.get(address) ?? Infinity, took));
    }
  }
  return [...least].toSorted(([, a], [, b]) => b - a);
}

/** `backends`: the processes that work for the service's connections. */
export function consolePages(of: () => { service: TestService; ids: Ids; backends: () => Promise<number[]> }): void {
  it("the console's pages are asked one by one", () => {
    const views = consoleRoutes
      .filter(({ method }) => method === "GET")
      .map(({ path }) => path.replace("/console", ""));
    expect(Object.keys(addresses(of().ids)).toSorted()).toEqual(views.toSorted());
  });

  it(`each page of the console takes ${maxMilliseconds} ms of processor time, at most twice that on a busy machine`, async () => {
    const { service, ids, backends } = of();
    const browser = new Visitor();
    await signInTo(service, await browser.get(`${team.baseUrl}/console/overview`), ids.operator, browser);
    const ask = async (address: string): Promise<number> => {
      // What the console keeps because it was expensive is asked again.
      keptResults(service.server.app.ctx).clear();
      return (await follow(await browser.get(`${team.baseUrl}/console${address}`), browser)).status;
    };
    const least = await leastTimes(Object.values(addresses(ids)).flat(), ask, backends);
    process.stdout.write(`${least.map(([address, took]) => `${took.toFixed(1)} ms  ${address}`).join("\n")}\n`);
    expect(least.filter(([, took]) => took > onBusyMachine)).toEqual([]);
  });
}
