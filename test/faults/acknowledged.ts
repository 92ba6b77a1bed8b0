import { vi } from "vitest";
import { minute } from "../../src/lib/clock.ts";
import { startServer } from "../../src/process/server.ts";
import { call, newEmail, redeem, refresh, signUp, validate, type Tokens } from "../support/person.ts";
import { kill } from "../support/process.ts";
import { testConfig, type TestApp, type TestService } from "../support/service.ts";
import { localWebhooks } from "../support/webhooks.ts";

export interface Acknowledged {
  /**
   * Signs people up, refreshes and signs some of them out, until `stop` is aborted; counts what
   * failed.
   */
  work(service: TestService, app: TestApp, stop: AbortSignal): Promise<void>;
  failures(): number;
  successes(): number;
  /** Whether each login is what its last acknowledged call made of it; what is not, by name. */
  check(service: TestService, app: TestApp): Promise<{ checks: number; lost: string[] }>;
  /** Access tokens of logins that live. */
  liveTokens(): string[];
}

/**
 * A model of what a service acknowledged. A call that fails (500) must not have happened, unless
 * `isUnknown`: where the connection to PostgreSQL is cut, nobody knows whether a COMMIT was carried
 * out.
 */
export function createAcknowledged(isUnknown = false): Acknowledged {
  const logins = new Map<string, { tokens: Tokens; state: "live" | "ended" }>();
  let failures = 0;
  let successes = 0;

  async function step(service: TestService, app: TestApp, email: string): Promise<void> {
    const tokens = await redeem(service, app, await signUp(service, app, { email }));
    logins.set(email, { tokens, state: "live" });
    const next = await refresh(service, app, tokens.refreshToken);
    if (next.status !== 200) throw new Error(`refresh answered ${next.status}`);
    const refreshed = { ...tokens, ...next.body };
    logins.set(email, { tokens: refreshed, state: "live" });
    if (logins.size % 3 !== 0) return;
    const authorization = `Bearer ${refreshed.accessToken}`;
    const out = await call(service, "POST", "/auth/logout", { authorization }, { allSessions: true });
    if (out.status !== 200) throw new Error(`logout answered ${out.status}`);
    logins.set(email, { tokens: refreshed, state: "ended" });
  }

  return {
    async work(service, app, stop) {
      while (!stop.aborted) {
        const email = newEmail();
        try {
          await step(service, app, email);
          successes += 1;
        } catch {
          failures += 1;
          if (isUnknown) logins.delete(email);
        }
      }
    },
    failures: () => failures,
    successes: () => successes,
    async check(service, app) {
      const lost: string[] = [];
      let checks = 0;
      for (const [email, { tokens, state }] of logins) {
        const answer = await refresh(service, app, tokens.refreshToken);
        // The new one: a service that was started again has another address, and so another issuer.
        const newest = { ...tokens, ...answer.body };
        const live = await validate(service, app, newest.accessToken);
        checks += 2;
        const expected = state === "live" ? 200 : 401;
        if (live.status !== expected || answer.status !== expected)
          lost.push(`${email} is ${state}: validate answered ${live.status}, refresh ${answer.status}`);
        if (answer.status === 200) logins.set(email, { tokens: newest, state });
      }
      return { checks, lost };
    },
    liveTokens: () =>
      [...logins.values()].filter(({ state }) => state === "live").map(({ tokens }) => tokens.accessToken),
  };
}

/** Waits as long as a busy machine may need. */
export async function eventually(look: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(look, { timeout: 120_000, interval: 50 });
}

/** Four workers repeat a step until enough of it was acknowledged; then the process is killed. */
export async function killAtWork(
  process: Parameters<typeof kill>[0],
  step: () => Promise<void>,
  isEnough: () => boolean,
): Promise<void> {
  const stop = new AbortController();
  const work = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) await step();
  });
  await eventually(isEnough);
  const dying = kill(process);
  stop.abort();
  await Promise.all([dying, Promise.allSettled(work)]);
}

/** Opens the data of the dead ten minutes later, until every delivery has arrived; all of them. */
export async function deliverAll(dataDir: string) {
  const database = { url: undefined, poolSize: 1 };
  const config = { ...testConfig, ...localWebhooks, dataDir, database };
  const server = await startServer(config, { clock: () => Date.now() + 10 * minute });
  const { db, tables } = server.app.ctx.storage.reader;
  const deliveries = async () => await db.select().from(tables.webhookDeliveries);
  await eventually(async () => (await deliveries()).every((row) => row.status === "delivered"));
  const all = await deliveries();
  await server.close();
  return all;
}
