import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { rateLimits, type RateLimits } from "../../../src/rate-limits/service.ts";
import { createSharedLimiter } from "../../../src/rate-limits/shared.ts";
import { addToCounts } from "../../../src/rate-limits/store.ts";
import { newContext, type Context } from "../../../src/runtime/context.ts";
import { startServer, type RunningServer } from "../../../src/process/server.ts";
import { toNextMinute } from "../../support/limits.ts";
import { call, goodPassword, initiate, newEmail, signedUp, Visitor } from "../../support/person.ts";
import { startTestService, serviceOfTest, testConfig, type TestService } from "../../support/service.ts";

const limit = 40;
const by = { kind: "cli", name: "test" } as const;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("two nodes on one database", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let second: RunningServer;
  let nodes: Pick<TestService, "url">[];
  beforeAll(async () => {
    running = await startTestService("postgres", {
      passwords: { ...testConfig.passwords, attemptsPerMinute: 10 },
      rateLimits: { ...testConfig.rateLimits, authentication: limit },
    });
    service = running.service;
    second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    nodes = [{ url: service.url }, { url: second.url }];
  });
  afterAll(async () => {
    await second.close();
    await running.stop();
  });

  const nodeOf = (n: number): TestService => nodes[n % nodes.length] as TestService;
  const left = ({ headers }: { headers: Headers }): number => Number(headers.get("x-ratelimit-remaining"));

  /**
   * Exactly the limit, and each call that got through was told another number of what is left: none
   * was counted twice or not at all.
   */
  function expectExactly(answers: { status: number; headers: Headers }[], good: number): void {
    const through = answers.filter(({ status }) => status === good);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - limit);
    expect(through.map(left).toSorted((a, b) => a - b)).toEqual(upTo(limit));
    for (const answer of answers) {
      expect(answer.headers.get("x-ratelimit-limit")).toBe(String(limit));
      expect(answer.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/u);
      expect(answer.headers.get("x-ratelimit-reset")).toBe(String((Math.floor(service.clock.now / 60_000) + 1) * 60));
    }
  }

  it("L4, L10: let exactly the limit of an app's calls through, all together, in parallel", async () => {
    const app = await service.createApp();
    toNextMinute(service);
    const answers = await Promise.all(
      upTo(150).map(async (n) => await call(nodeOf(n), "POST", "/auth/refresh", app.headers, { refreshToken: "x" })),
    );
    expectExactly(answers, 401);
  });

  it("L4: and one after the other, whichever node is asked", async () => {
    const app = await service.createApp();
    toNextMinute(service);
    const answers = [];
    for (const n of upTo(limit + 10))
      answers.push(await call(nodeOf(n), "POST", "/auth/refresh", app.headers, { refreshToken: "x" }));
    expectExactly(answers, 401);
    expect(answers.slice(0, limit).map(left)).toEqual(upTo(limit).toReversed());
  });

  it("L4: of a user's calls and of an address's as well", async () => {
    const app = await service.createApp();
    const { accessToken } = await signedUp(service, app);
    toNextMinute(service);
    const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id };
    expectExactly(await Promise.all(upTo(100).map((n) => call(nodeOf(n), "GET", "/auth/validate", headers))), 200);
    expectExactly(await Promise.all(upTo(100).map((n) => call(nodeOf(n), "GET", "/auth/nothing", {}))), 404);
  });

  it("L1: an app's own limit holds over both, also when it is changed in the middle of a minute", async () => {
    const app = await service.createApp();
    toNextMinute(service);
    const refreshed = async (count: number) =>
      (
        await Promise.all(
          upTo(count).map(
            async (n) => await call(nodeOf(n), "POST", "/auth/refresh", app.headers, { refreshToken: "x" }),
          ),
        )
      ).filter(({ status }) => status === 401).length;
    expect(await refreshed(60)).toBe(limit);
    const { ctx } = service.server.app;
    await applications.update(ctx, app.id, { settings: { rateLimits: { authentication: limit + 30 } } }, by);
    // Each node may have asked for one more than there was.
    const more = await refreshed(60);
    expect(more).toBeLessThanOrEqual(30);
    await applications.update(ctx, app.id, { settings: { rateLimits: { authentication: 5 } } }, by);
    expect(await refreshed(20)).toBe(0);
    toNextMinute(service);
    expect(await refreshed(20)).toBe(5);
  });

  it("L4, L8: ten passwords a minute from one network, and one throttle for an account, over both nodes", async () => {
    const app = await service.createApp();
    const tryAt = async (n: number, email: string) => {
      const visitor = new Visitor();
      const session = await initiate(nodeOf(n), app);
      return async (password: string) =>
        (
          await visitor.submit(await visitor.get(session.authUrl.replace(service.url, nodeOf(n).url)), "/password", {
            email,
            password,
          })
        ).status;
    };
    toNextMinute(service);
    const tries = await Promise.all(upTo(30).map(async (n) => await tryAt(n, newEmail())));
    const seen = await Promise.all(tries.map(async (send) => await send("a wrong password")));
    expect(seen.filter((status) => status === 401)).toHaveLength(10);
    expect(seen.filter((status) => status === 429)).toHaveLength(20);

    toNextMinute(service);
    const { email } = await signedUp(service, app);
    toNextMinute(service);
    const { db, tables } = service.server.app.ctx.storage.reader;
    await service.server.app.ctx.storage.write(async (tx) => void (await tx.db.delete(tables.passwordFailures)));
    const wrong = await Promise.all(upTo(9).map(async (n) => await tryAt(n, email)));
    await Promise.all(wrong.map(async (send) => await send("a wrong password")));
    expect((await db.select().from(tables.passwordFailures)).map(({ failures }) => failures)).toEqual([6]);
    expect(await (await tryAt(1, email))(goodPassword)).toBe(401);
  });
});

/** Of one more node on this database. */
function limiterOf(ctx: Context, clock: Clock): RateLimits["limiter"] {
  return rateLimits(newContext<Context>({ ...ctx, clock })).limiter;
}

describe("a limit so large that nodes set aside parts of it", () => {
  it("L4, L10: is never exceeded in total, is given out to the last call, and costs no write once it is used up", async () => {
    const service = await serviceOfTest("postgres");
    const { ctx } = service.server.app;
    const { storage } = ctx;
    let now = Date.UTC(2026, 0, 1);
    // Not a multiple of its share: the last one set aside is not whole.
    const large = 10_007;
    const share = 10;
    const nodes: RateLimits["limiter"][] = upTo(3).map(() => limiterOf(ctx, () => now));
    const take = async (n: number) => await nodes[n % 3]?.count("authentication user:usr_1", large, "known");
    let through = 0;
    // Two at a time at each node, so that most take from what is set aside already.
    for (let round = 0; round < 1900; round += 1) {
      for (const limitResult of await Promise.all(upTo(6).map(take))) {
        if (!limitResult?.exceeded) through += 1;
        expect(Number.isSafeInteger(limitResult?.remaining)).toBe(true);
        expect(limitResult?.remaining).toBeLessThan(large);
      }
    }
    expect(through).toBe(large);
    const rows = async () => await storage.reader.db.select().from(storage.reader.tables.rateLimitCounts);
    const [row] = await rows();
    // What is refused is not written: each node learns once that the minute is used up.
    expect(row?.used).toBeLessThanOrEqual(large + 3 * share);
    await Promise.all(upTo(500).map(take));
    expect(await rows()).toEqual([row]);
    now += 60_000;
    expect(await take(0)).toMatchObject({ limit: large, remaining: large - 1, exceeded: false });
    expect((await rows()).map(({ used }) => used).toSorted((a, b) => a - b)[0]).toBe(share);
  });

  it("is not used any more when it changes while a node waits for its part of it", async () => {
    const service = await serviceOfTest("postgres");
    const { storage, keyring } = service.server.app.ctx;
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counted = Promise.withResolvers<void>();
    let asked = 0;
    const limiter = createSharedLimiter({
      async addToCounts(counts) {
        const gate = gates[asked];
        asked += 1;
        const totals = await addToCounts(storage.reader, counts);
        counted.resolve();
        await gate?.promise;
        return totals;
      },
      digestOf: (key, endsAt) => keyring.mac("limits", key, String(endsAt)).toString("base64url"),
      clock: () => 0,
    });
    const take = async (of: number) => await limiter.count("authentication user:usr_1", of, "known");
    const first = take(10_000);
    await counted.promise;
    const meanwhile = take(5);
    gates[0]?.resolve();
    expect((await first).exceeded).toBe(false);
    // Ten points were set aside under the old limit, and the new one is five: none of the nine
    // that are left is given out.
    const after = upTo(9).map(async () => await take(5));
    gates[1]?.resolve();
    const answers = await Promise.all([meanwhile, ...after]);
    expect(answers.filter(({ exceeded }) => !exceeded)).toEqual([]);
  });

  it("keeps nobody waiting for a second question where the database did not answer the first", async () => {
    const firstQuestion = Promise.withResolvers<never>();
    const asked: number[] = [];
    const limiter = createSharedLimiter({
      addToCounts: async (counts) => {
        asked.push(counts.length);
        return asked.length === 1 ? await firstQuestion.promise : new Map(counts.map(({ digest }) => [digest, 1]));
      },
      digestOf: (key) => key,
      clock: () => 0,
    });
    const first = limiter.count("authentication user:usr_1", 10, "known");
    await expect.poll(() => asked).toEqual([1]);
    const meanwhile = [1, 2].map(async (user) => await limiter.count(`authentication user:usr_${user}`, 10, "known"));
    firstQuestion.reject(new Error("no answer"));
    const answers = await Promise.allSettled([first, ...meanwhile]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(asked).toEqual([1]);
    expect(await limiter.count("authentication user:usr_2", 10, "known")).toMatchObject({ exceeded: false });
  });

  it("lets nothing through while the database that counts is away", async () => {
    const running = await startTestService("postgres");
    const { ctx } = running.service.server.app;
    const limiter = limiterOf(ctx, () => 0);
    const take = async () => await limiter.count("authentication user:usr_1", 1_000_000, "known");
    expect(await take()).toMatchObject({ exceeded: false });
    await ctx.storage.close();
    // What was set aside before is this node's; not one call more gets through.
    const answers = await Promise.allSettled(upTo(1500).map(take));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(999);
    expect(answers.filter(({ status }) => status === "rejected")).toHaveLength(501);
    await running.stop().catch((error: unknown) => {
      if (!String(error).includes("end on pool more than once")) throw error;
    });
  });

  it("L10: a flood of new addresses takes no counter away from users and apps", async () => {
    const service = await serviceOfTest("postgres");
    const { ctx } = service.server.app;
    const limiter = limiterOf(ctx, () => 0);
    const strangers = await Promise.all(
      upTo(20_000).map(async (n) => await limiter.count(`authentication address:${n}`, 1, "stranger")),
    );
    expect(strangers.every(({ exceeded }) => !exceeded)).toBe(true);
    expect(await limiter.count("authentication user:usr_1", 1, "known")).toMatchObject({ exceeded: false });
    expect(await limiter.count("authentication user:usr_1", 1, "known")).toMatchObject({ exceeded: true });
  });
});
