import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Answered } from "../../../src/http/router.ts";
import { silentLog } from "../../../src/lib/silent-log.ts";
import { silentMeter } from "../../../src/lib/meter.ts";
import { followRequests, readLive, type LiveRequest } from "../../../src/live/client.ts";
import { createCounts } from "../../../src/live/counts.ts";
import { liveState, type LiveState } from "../../../src/live/live.ts";
import { startServer } from "../../../src/process/server.ts";
import { emptyFolder } from "../../cli/command.ts";
import { call, goodPassword, initiate, newEmail, refresh, signedUp, validate, Visitor } from "../../support/person.ts";
import { describeEachDatabase, serviceOfTest, type Dialect, type TestService } from "../../support/service.ts";

const stateOf = async (service: TestService): Promise<LiveState> => {
  const state = await readLive(service.config);
  if (!state) throw new Error("no service runs");
  return state;
};

/** With everything that it warns of. */
async function warnedService(overrides: Partial<TestService["config"]>, dialect: Dialect = "sqlite") {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void warnings.push(fields) };
  return { service: await serviceOfTest(dialect, overrides, { log }), warnings };
}

describeEachDatabase("the live state", (current) => {
  it("shows rates, latencies, sign-ins, queues, the database and the slowest calls", async () => {
    const service = current();
    const app = await service.createApp();
    await stateOf(service);
    const tokens = await signedUp(service, app);
    await validate(service, app, tokens.accessToken);
    await validate(service, app, "forged");
    await refresh(service, app, tokens.refreshToken);
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    await visitor.submit(page, "/password", { email: newEmail(), password: goodPassword });

    const state = await stateOf(service);
    expect(state).toMatchObject({
      pid: process.pid,
      database: { kind: service.dialect, up: true, writable: true, waiting: 0 },
      hashes: { running: 0, waiting: 0 },
      webhooks: { waiting: 0, overdue: 0 },
      mails: { waiting: 0, overdue: 0 },
      signIns: [{ method: "password" }],
    });
    // As calls in the window, because the rates depend on its length.
    const calls = (rate = 0): number => Math.round(rate * state.seconds);
    expect(calls(state.signIns[0]?.success)).toBe(1);
    expect(calls(state.signIns[0]?.failure)).toBe(1);
    expect(calls(state.requests.validates)).toBe(2);
    expect(calls(state.requests.refreshes)).toBe(1);
    expect(calls(state.requests.refused)).toBeGreaterThan(0);
    expect(calls(state.hashes.perSecond)).toBeGreaterThanOrEqual(2);
    expect(calls(state.database.transactions.perSecond)).toBeGreaterThan(3);
    const validates = state.routes.find(({ route }) => route === "GET /auth/validate");
    expect([calls(validates?.calls), calls(validates?.refused), validates?.failed]).toEqual([2, 1, 0]);
    const { p50 = 0, p95 = 0, p99 = 0 } = validates?.milliseconds ?? {};
    expect(0 < p50 && p50 <= p95 && p95 <= p99).toBe(true);
    const times = state.slowest.map(({ milliseconds }) => milliseconds);
    expect(times).toHaveLength(10);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(state.slowest[0]).toMatchObject({
      at: expect.stringMatching(/Z$/u) as string,
      method: expect.any(String) as string,
    });
    // What pages of the same process read.
    expect(await liveState(service.server.app.ctx)).toMatchObject({ pid: process.pid });
  });

  it("G1: the stream of requests has the fields of the request log, and no secret, address or query", async () => {
    const service = current();
    const app = await service.createApp();
    const lines: LiveRequest[] = [];
    const followed = await followRequests(service.config, (line) => lines.push(line));
    onTestFinished(() => followed?.stop());
    const rare = "a-secret-that-stands-nowhere-else";
    const tokens = await signedUp(service, app);
    await validate(service, app, tokens.accessToken);
    await call(service, "GET", `/auth/validate?token=${rare}`, {});
    await call(service, "GET", `/${rare}/${rare}?token=${rare}`, {
      "user-agent": rare,
      authorization: `Bearer ${rare}`,
    });
    await expect.poll(() => lines.at(-1)).toMatchObject({ status: 404 });
    expect(lines).toContainEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/u) as string,
      requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/u) as string,
      method: "GET",
      route: "/auth/validate",
      status: 200,
      milliseconds: expect.any(Number) as number,
      caller: expect.stringMatching(/^user:usr_/u) as string,
    });
    const text = JSON.stringify(lines);
    for (const secret of [rare, app.apiKey, tokens.accessToken, tokens.refreshToken, "127.0.0.1", "?"])
      expect(text).not.toContain(secret);
  });
});

describe("counting", () => {
  const answered = (status: number, milliseconds: number): Answered =>
    ({
      request: { method: "GET", waited: 0, logFields: { requestId: "req_1" } },
      route: { method: "GET", path: "/auth/validate" },
      status,
      milliseconds,
    }) as unknown as Answered;

  it("begins with the first look, and ends 30 seconds after the last", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const counts = createCounts(() => 0);
    counts.answered(answered(200, 1));
    counts.metered(silentMeter).hashWaited(1);
    expect(counts.look()).toMatchObject({ requests: { calls: 0 }, hashesPerSecond: 0, slowest: [] });
    vi.advanceTimersByTime(29_000);
    for (let call = 0; call < 90; call += 1) counts.answered(answered(200, 2));
    for (let call = 0; call < 10; call += 1) counts.answered(answered(503, 40));
    vi.advanceTimersByTime(900);
    const { requests, slowest } = counts.look();
    // 100 calls in the nine seconds and 0.9 that the window covers.
    expect(requests).toMatchObject({ calls: 10.1, failed: 1.01, refused: 0 });
    expect(requests.milliseconds.p50).toBeCloseTo(2, 0);
    expect(requests.milliseconds.p95 / 40).toBeCloseTo(1, 1);
    expect(slowest.map(({ milliseconds }) => milliseconds)).toEqual(Array.from({ length: 10 }, () => 40));
    vi.advanceTimersByTime(30_001);
    counts.answered(answered(200, 1));
    expect(counts.look()).toMatchObject({ requests: { calls: 0 }, slowest: [] });
  });

  it("forgets calls after ten seconds, and the slowest after five minutes", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const counts = createCounts(() => 0);
    counts.look();
    counts.answered(answered(200, 900));
    for (let seconds = 0; seconds < 20; seconds += 10) {
      counts.look();
      vi.advanceTimersByTime(10_000);
    }
    expect(counts.look()).toMatchObject({ requests: { calls: 0 }, routes: [], slowest: [{ milliseconds: 900 }] });
    for (let seconds = 0; seconds < 360; seconds += 10) {
      counts.look();
      vi.advanceTimersByTime(10_000);
    }
    expect(counts.look().slowest).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("the live socket", () => {
  const socketOf = ({ dataDir }: TestService): string => join(dataDir, "live.sock");

  it("answers nothing but its two paths", async () => {
    const service = await serviceOfTest("sqlite");
    const statusOf = async (method: string, path: string): Promise<number | undefined> =>
      await new Promise((resolve, reject) => {
        const asked = request({ socketPath: socketOf(service), method, path }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on("error", reject).end();
      });
    expect(await statusOf("GET", "/state")).toBe(200);
    expect(await statusOf("GET", "/")).toBe(404);
    expect(await statusOf("GET", "/auth/validate")).toBe(404);
    expect(await statusOf("POST", "/state")).toBe(405);
  });

  it("X4: only the service's own user can connect, even if the folder is open", async ({ skip }) => {
    skip(process.getuid?.() !== 0, "only root can become another user");
    const service = await serviceOfTest("sqlite");
    expect((statSync(socketOf(service)).mode & 0o777).toString(8)).toBe("600");
    chmodSync(service.dataDir, 0o755);
    process.seteuid?.(65_534);
    try {
      await expect(readLive(service.config)).rejects.toThrow(/another user/u);
    } finally {
      process.seteuid?.(0);
    }
    expect(await readLive(service.config)).toMatchObject({ pid: process.pid });
  });

  it("X4: where others can change the folder, there is none and nobody asks it", async () => {
    const dataDir = emptyFolder();
    chmodSync(dataDir, 0o777);
    const { service, warnings } = await warnedService({ dataDir }, "postgres");
    expect(warnings).toEqual([{ reason: expect.stringMatching(/^other users can change/u) as string }]);
    expect(await readLive(service.config)).toBeUndefined();
  });

  it("is removed at the end, and one that was left behind is replaced", async () => {
    const service = await serviceOfTest("sqlite");
    await service.server.close();
    expect(existsSync(socketOf(service))).toBe(false);
    expect(await readLive(service.config)).toBeUndefined();
    writeFileSync(socketOf(service), "");
    const again = await startServer(service.config);
    onTestFinished(async () => await again.close());
    expect(await readLive(service.config)).toMatchObject({ pid: process.pid });
  });

  it("a second service of the folder leaves it alone, and says so", async () => {
    const { service, warnings } = await warnedService({});
    const log = { ...silentLog, warn: (_: string, fields?: object) => void warnings.push(fields) };
    const second = await startServer(service.config, { log });
    await second.close();
    expect(warnings).toEqual([{ reason: expect.stringMatching(/^another service/u) as string }]);
    expect(await readLive(service.config)).toMatchObject({ pid: process.pid });
  });

  it("a path that is too long is one warning, and the service runs", async () => {
    const dataDir = join(emptyFolder(), "d".repeat(100));
    mkdirSync(dataDir, { mode: 0o700 });
    const { service, warnings } = await warnedService({ dataDir });
    expect(warnings).toEqual([{ reason: expect.stringMatching(/longer than a socket's \d+ bytes/u) as string }]);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await readLive(service.config)).toBeUndefined();
  });

  it("has a private folder made for it where the database and the key need none", async () => {
    const dataDir = join(emptyFolder(), "made");
    const service = await serviceOfTest("postgres", { dataDir });
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe("700");
    expect(await readLive(service.config)).toMatchObject({ database: { kind: "postgres" } });
  });
});
