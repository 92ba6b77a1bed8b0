import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bearer } from "../support/methods.ts";
import { call, refresh, signedUp, type Tokens } from "../support/person.ts";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { killAll, startProcess } from "../support/process.ts";
import { testMasterKey, type TestApp, type TestService } from "../support/service.ts";
import { reportExperiment } from "./experiment.ts";
import { administer, folderOf, frozenServer, type Fault } from "./postgres-faults.ts";
import { endReplication, startStandby } from "./postgres-standby.ts";

const maxMillisecondsToReturn = 15_000;

let primary: Postgres;
let standby: Postgres;
let frozen: Fault;

beforeEach(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary.url("postgres"));
  frozen = frozenServer(primary.url("postgres"));
});
afterEach(async () => {
  frozen.end();
  await killAll();
  await primary.stop();
  await standby.stop();
});

type Person = { tokens: Tokens; state: "live" | "ended" | "unknown" };

/** People who sign up, refresh and sometimes log out, and what was acknowledged of it. */
function startLoad(service: TestService, app: TestApp) {
  const people: Person[] = [];
  const successes: number[] = [];
  const over = new AbortController();

  async function live(): Promise<void> {
    const person: Person = { tokens: await signedUp(service, app), state: "live" };
    people.push(person);
    successes.push(performance.now());
    // While its answer is under way, a call has neither happened nor not happened.
    person.state = "unknown";
    const next = await refresh(service, app, person.tokens.refreshToken);
    if (next.status !== 200) return;
    person.tokens = next.body as Tokens;
    person.state = "live";
    successes.push(performance.now());
    if (people.length % 3 !== 0) return;
    person.state = "unknown";
    const everywhere = { allSessions: true };
    const ended = await call(service, "POST", "/auth/logout", bearer(person.tokens.accessToken), everywhere);
    if (ended.status === 200) person.state = "ended";
  }

  const workers = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) await live().catch(async () => await pause(50));
  });
  return {
    people,
    successes,
    async stop(): Promise<void> {
      over.abort();
      await Promise.all(workers);
    },
  };
}

async function findLost(service: TestService, app: TestApp, people: Person[]): Promise<string[]> {
  const lost: string[] = [];
  for (const [number, { tokens, state }] of people.entries()) {
    if (state === "unknown") continue;
    const { status } = await refresh(service, app, tokens.refreshToken);
    if (status !== (state === "live" ? 200 : 401)) lost.push(`person ${number} is ${state}, and got ${status}`);
  }
  return lost;
}

async function startService() {
  const hosts = [primary, standby].map((server) => folderOf(server.url("postgres"))).join(",");
  return await startProcess(mkdtempSync(join(tmpdir(), "authsvc-failover-")), {
    AUTHSVC_DATABASE__URL: `postgres://postgres@/postgres?host=${hosts}&target_session_attrs=read-write`,
    AUTHSVC_DATABASE__POOL_SIZE: "5",
    AUTHSVC_MASTER_KEY: testMasterKey,
    AUTHSVC_LOG__LEVEL: "silent",
  });
}

/** The primary goes, the standby is promoted, and the load goes on for a while. */
async function failOver(load: ReturnType<typeof startLoad>, leave: () => Promise<void> | void): Promise<number> {
  await vi.waitUntil(() => load.successes.length >= 60, { timeout: 60_000 });
  await leave();
  await pause(1000);
  await administer(standby.url("postgres"), "SELECT pg_promote()");
  const promotedAt = performance.now();
  const since = () => load.successes.filter((at) => at > promotedAt);
  await vi.waitUntil(() => since().length >= 60, { timeout: 60_000 });
  await load.stop();
  return Math.round((since()[0] ?? 0) - promotedAt);
}

it.each([
  ["dies", async () => await primary.takeDown()],
  ["hangs", async () => await frozen.begin()],
])("a standby is promoted under load when the primary %s: nothing acknowledged is lost", async (what, leave) => {
  const { service, app } = await startService();
  const load = startLoad(service, app);
  const milliseconds = await failOver(load, leave);
  const lost = await findLost(service, app, load.people);
  const known = load.people.filter(({ state }) => state !== "unknown").length;
  reportExperiment(`PostgreSQL primary ${what}, standby promoted: back after ${milliseconds} ms`, {
    rounds: 1,
    checks: known,
    lost,
  });
  expect(milliseconds).toBeLessThan(maxMillisecondsToReturn);
});

it("control: a standby that received nothing has lost what was acknowledged", async () => {
  const { service, app } = await startService();
  await endReplication(primary.url("postgres"), standby.url("postgres"));
  const load = startLoad(service, app);
  await failOver(load, async () => await primary.takeDown());
  const lost = await findLost(service, app, load.people);
  expect(lost).not.toEqual([]);
});
