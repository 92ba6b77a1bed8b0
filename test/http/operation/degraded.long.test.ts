import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { createLog } from "../../../src/lib/log.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { startServer } from "../../../src/process/server.ts";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { toNextMinute } from "../../support/limits.ts";
import { call, initiate, redeem, refresh, signedUp, signUp, validate } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { scrape } from "../../support/scrape.ts";
import {
  testConfig,
  atUrl,
  startTestService,
  type Dialect,
  type TestApp,
  type TestService,
} from "../../support/service.ts";
import { makeUnwritable, makeWritable } from "../../support/unwritable.ts";

const limit = 30;

describe.each<Dialect>(["sqlite", "postgres"])("a database that can be read and not written (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;
  let logged: { level: string; msg: string }[];
  beforeEach(async () => {
    logged = [];
    const capture = new Writable({
      write(chunk: Buffer, _encoding, done) {
        logged.push(JSON.parse(chunk.toString()) as { level: string; msg: string });
        done();
      },
    });
    running = await startTestService(
      dialect,
      {
        metrics: { host: "127.0.0.1", port: 0, hosts: [] },
        // So small a limit that a node sets nothing aside: each call is counted in the database.
        rateLimits: { ...testConfig.rateLimits, authentication: 1000 },
      },
      { log: createLog({ level: "info", format: "json" }, capture) },
    );
    service = running.service;
    app = await service.createApp();
  });
  afterEach(async () => {
    await makeWritable(service);
    await running.stop();
  });

  const readiness = async () => {
    const { status, body } = await call(service, "GET", "/readyz", {});
    return { status, body };
  };
  const untilReady = async (): Promise<unknown> => await until(async () => (await readiness()).status === 200);
  /** On SQLite what is free in the file is used up first. */
  const untilWritesFail = async (): Promise<unknown> =>
    await until(async () => {
      const body = { redirectUri: app.redirectUri, state: "x".repeat(2000) };
      return (await call(service, "POST", "/auth/initiate", app.headers, body)).status === 500;
    });
  const told = (text: RegExp): string[] => logged.map(({ msg }) => msg).filter((msg) => text.test(msg));
  const reason = dialect === "postgres" ? "the database is read-only" : "the database disk is full";

  it("validates tokens and publishes keys; what must be kept answers SERVER_ERROR and is not done", async () => {
    const tokens = await signedUp(service, app);
    const waiting = await signUp(service, app);
    await makeUnwritable(service);
    await untilWritesFail();

    for (let n = 0; n < 5; n += 1) expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
    expect((await validate(service, app, "forged")).status).toBe(401);
    expect((await call(service, "GET", "/.well-known/jwks.json", {})).body.keys).toHaveLength(1);
    expect((await call(service, "GET", `/applications/${app.id}`, app.headers)).status).toBe(200);
    expect((await call(service, "GET", "/auth/nothing", {})).status).toBe(404);

    await makeWritable(service);
    await untilReady();
    // Nothing was used up by what failed.
    expect((await redeem(service, app, waiting)).user).toBeDefined();
    expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
  });

  it("is degraded for balancers, metrics, people and once in the log, says why, and is ready again without a restart", async () => {
    expect(await readiness()).toEqual({ status: 200, body: { status: "ready" } });
    expect((await scrape(service)).value("authsvc_database_writable")).toBe(1);
    await makeUnwritable(service);
    await untilWritesFail();
    expect(await readiness()).toEqual({ status: 503, body: { status: "degraded", reason } });
    expect((await scrape(service)).value("authsvc_database_writable")).toBe(0);
    expect((await scrape(service)).value("authsvc_database_up")).toBe(1);
    expect((await call(service, "GET", "/healthz", {})).status).toBe(200);

    const begun = expect.stringMatching(
      new RegExp(`^${reason}: (?:free|make) .*\\. Sign-ins fail; tokens are still validated`, "u"),
    ) as string;
    expect(told(/^the (?:disk of the )?database/u)).toEqual([begun]);

    const { port } = new URL(service.url);
    const place = placeOf(service);
    const health = await authsvc(["health"], { ...place, env: { ...place.env, AUTHSVC_LISTEN__PORT: port } });
    expect(health).toMatchObject({ code: 1, stdout: `not ready: degraded: ${reason}\n` });

    await makeWritable(service);
    await untilReady();
    expect(told(/^the (?:disk of the )?database/u)).toEqual([begun, "the database is writable again"]);
    expect((await scrape(service)).value("authsvc_database_writable")).toBe(1);
    await signedUp(service, app);
  });

  it("limits calls all the same: no limit is open while nothing can be counted for all nodes (security rule L10)", async () => {
    const { accessToken } = await signedUp(service, app);
    await setLimit(service, app);
    await makeUnwritable(service);
    await untilWritesFail();
    toNextMinute(service);
    const answers = [];
    for (let n = 0; n < limit + 10; n += 1) answers.push(await validate(service, app, accessToken));
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: limit }, () => 200),
      ...Array.from({ length: 10 }, () => 429),
    ]);
    expect(answers.slice(0, limit).map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))).toEqual(
      Array.from({ length: limit }, (_, n) => limit - n - 1),
    );
  });
});

describe("a PostgreSQL database that is read-only", () => {
  it("is noticed without a write, and a start on it serves", async () => {
    const running = await startTestService("postgres");
    const { service } = running;
    try {
      const app = await service.createApp();
      const { accessToken } = await signedUp(service, app);
      await makeUnwritable(service);
      const ready = async () => (await call(service, "GET", "/readyz", {})).body;
      await until(async () => (await ready()).status === "degraded");
      const doctor = await examine(service.server.app.ctx);
      expect(doctor.filter(({ check }) => check === "database")).toMatchObject([
        { status: "problem", message: "Sign-ins fail: the database is read-only." },
      ]);

      const second = await startServer({ ...service.config, baseUrl: service.url }, {});
      try {
        const node = atUrl(service, second.url);
        expect((await validate(node, app, accessToken)).status).toBe(200);
        expect((await call(node, "GET", "/readyz", {})).status).toBe(503);
      } finally {
        await second.close();
      }
    } finally {
      await makeWritable(service);
      await running.stop();
    }
  });

  it("hears afterwards what each node counted alone, so that the minute's limit holds again for all (security rule L10)", async () => {
    const running = await startTestService("postgres", {
      rateLimits: { ...testConfig.rateLimits, authentication: 1000 },
    });
    const { service } = running;
    const second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    const node = atUrl(service, second.url);
    try {
      const app = await service.createApp();
      const other = await service.createApp();
      const { accessToken } = await signedUp(service, app);
      await setLimit(service, app);
      await makeUnwritable(service);
      await until(async () => (await validate(service, app, accessToken)).status === 200);
      toNextMinute(service);
      const alone = 20;
      for (let n = 0; n < alone; n += 1) expect((await validate(service, app, accessToken)).status).toBe(200);
      await makeWritable(service);
      await until(async () => (await call(service, "GET", "/readyz", {})).status === 200);
      // Another application's call is enough: the first statement that succeeds takes all debts
      // along.
      await until(async () => {
        await initiate(service, other).catch(() => {});
        const { db, tables } = service.server.app.ctx.storage.reader;
        const counts = await db.select({ used: tables.rateLimitCounts.used }).from(tables.rateLimitCounts);
        // Other counters are reserved by the hundred.
        return counts.some(({ used }) => used === alone);
      });
      const answers = [];
      for (let n = 0; n < limit; n += 1) answers.push((await validate(node, app, accessToken)).status);
      expect(answers.filter((status) => status === 200)).toHaveLength(limit - alone);
    } finally {
      await makeWritable(service);
      await second.close();
      await running.stop();
    }
  });
});

/** For the calls of this application's users. */
async function setLimit(service: TestService, { id }: TestApp): Promise<void> {
  const change = { settings: { rateLimits: { authentication: limit } } };
  await applications.update(service.server.app.ctx, id, change, { kind: "cli", name: "test" });
  // A node knows an application's limits for a second.
  service.clock.advance(2000);
}
