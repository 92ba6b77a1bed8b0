import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import type { Traffic } from "../src/upkeep/benchmark/traffic.ts";
import { inTurns, type Context } from "./context.ts";
import { flushesFor, refusesAfterLogout } from "./facts.ts";
import type { Running } from "./process.ts";
import { measured, type Bar } from "./report.ts";
import { refreshesOf, validatesOf, withSubject, type Subject } from "./subject.ts";
import { startBareServer } from "./yardsticks.ts";

export type Database = {
  name: string;
  environment?: Record<string, string> | undefined;
  /** Targets of calls per second, where the database spends processor time of its own. */
  rates?: Record<Call, Bar>;
  /** Targets of processor time: its ratio to node:http's is the same on a slower machine. */
  costs?: Record<Call, Bar>;
};

type Call = "validate" | "refresh";

/** More than connections, so that no call waits for another one's token. */
const users = 64;
/** For the checks before the measurement. */
const spare = 2;
const watched = 20;

export const onSqlite: Database = {
  name: "SQLite",
  costs: { validate: { atMost: 2.6 }, refresh: { atMost: 12 } },
};

/** Validate and refresh, in turns with node:http alone. */
export async function measureTokens(context: Context, { name, environment, rates, costs }: Database): Promise<void> {
  const { program, report, load, rounds, seconds } = context;
  const bare = await startBareServer();
  try {
    await withSubject({ program, environment, logins: users * (rounds + 1) + spare }, async (subject) => {
      await showHonesty(context, name, subject, environment === undefined);
      const validates = validatesOf(subject, subject.logins.slice(0, users));
      // Warm up, so that the service's code is compiled.
      await load(validates, { seconds: 1 });
      await load(refreshesOf(subject, subject.logins.slice(users * rounds, users * (rounds + 1))), { seconds: 2 });
      const late = { bare: [] as number[], validate: [] as number[], refresh: [] as number[] };
      const cost = { bare: [] as number[], validate: [] as number[], refresh: [] as number[] };
      const noted = async (call: keyof typeof late, server: Running, traffic: Traffic): Promise<number> => {
        const before = server.processorSeconds();
        const { perSecond, p99Milliseconds, calls } = await load(traffic, { seconds });
        late[call].push(p99Milliseconds);
        cost[call].push(((server.processorSeconds() - before) * 1e6) / calls);
        return perSecond;
      };
      const median = (values: number[]): number => percentile(values, 0.5);
      let round = 0;
      const found = await inTurns(rounds, {
        bare: async () => await noted("bare", bare, { kind: "get", url: bare.url, headers: [{}] }),
        validate: async () => await noted("validate", subject.server, validates),
        refresh: async () => {
          // Only the load knows the newest tokens of refreshed logins.
          const fresh = subject.logins.slice(users * round, users * (round + 1));
          round += 1;
          return await noted("refresh", subject.server, refreshesOf(subject, fresh));
        },
      });
      report.note(
        `node:http alone, the same bytes (${measured(median(cost.bare))} µs of processor)`,
        `${measured(found.bare)}/s`,
      );
      for (const call of ["validate", "refresh"] as const) {
        const figure = `${name}: ${call} (p99 ${measured(median(late[call]))} ms)`;
        report.rate(figure, found[call], found.bare, rates?.[call]);
        report.cost(`${name}: ${call}, processor time`, median(cost[call]), median(cost.bare), costs?.[call]);
      }
    });
  } finally {
    await bare.stop();
  }
}

/**
 * Shows that the figures are honest: the service looks up each login, and answers a refresh when it
 * is durable.
 */
async function showHonesty({ report }: Context, name: string, subject: Subject, flushesItself: boolean): Promise<void> {
  const [first, second] = subject.logins.slice(-spare);
  if (!first || !second) throw new Error("nobody is signed in");
  await refusesAfterLogout(subject, first);
  report.note(`${name}: the next validate after a logout`, "refused");
  if (!flushesItself) return;
  const flushes = await flushesFor(subject, second, watched);
  if (flushes === undefined)
    report.note(`${name}: flushes to the disk for ${watched} refreshes`, "not watched: no strace");
  else if (flushes < watched)
    throw new Error(`${watched} refreshes were answered after ${flushes} flushes to the disk`);
  else report.note(`${name}: flushes to the disk for ${watched} refreshes`, String(flushes));
}

export function onPostgres(environment: Record<string, string>): Database {
  return {
    name: "PostgreSQL",
    environment,
    rates: { validate: { atLeast: 0.12 }, refresh: { atLeast: 0.03 } },
  };
}

/**
 * Validate under the contract's limits: no user may call more than a hundred times per minute, and
 * with PostgreSQL every call is counted for all nodes.
 */
export async function measureManyUsers(context: Context, { name, environment }: Database): Promise<void> {
  const { program, report, load, seconds } = context;
  const limit = 100;
  const bare = await startBareServer();
  const defaultLimits = { ...environment, AUTHSVC_RATE_LIMITS__AUTHENTICATION: String(limit) };
  try {
    const yardstick = (await load({ kind: "get", url: bare.url, headers: [{}] }, { seconds })).perSecond;
    // Enough for three tenths of the baseline, even if all calls fall into one minute.
    const needed = Math.ceil((yardstick * 0.3 * (seconds + 1)) / limit);
    await withSubject({ program, environment: defaultLimits, logins: needed }, async (subject) => {
      const validates = validatesOf(subject, subject.logins);
      const { perSecond, p99Milliseconds } = await load(validates, { seconds });
      const figure = `${name}: validate by ${measured(needed)} users, ${limit} a minute each, p99 ${measured(p99Milliseconds)} ms`;
      report.rate(figure, perSecond, yardstick);
    });
  } finally {
    await bare.stop();
  }
}
