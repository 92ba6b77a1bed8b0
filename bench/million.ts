import { statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { App } from "../src/process/app.ts";
import * as applications from "../src/applications/service.ts";
import type { Config } from "../src/config/config.ts";
import { digestOf, systemRandom } from "../src/lib/random.ts";
import { repeat } from "../src/upkeep/benchmark/load.ts";
import type { TestLogin } from "../src/upkeep/benchmark/logins.ts";
import { openTraffic } from "../src/upkeep/benchmark/traffic.ts";
import { findLogin } from "../src/sessions/login-store.ts";
import { firstRefreshToken, refreshDigest } from "../src/sessions/refresh-tokens.ts";
import * as tokens from "../src/sessions/token-pairs.ts";
import * as users from "../src/users/service.ts";
import { commandMilliseconds } from "./commands.ts";
import { inTurns, type Context } from "./context.ts";
import { ask } from "./databases.ts";
import { fill, liveLogins, loginId } from "./fill.ts";
import type { Program } from "./program.ts";
import { measured } from "./report.ts";
import { appId, refreshesOf, validatesOf, withSubject, type Subject } from "./subject.ts";

/** How many logins are used in turn: enough that database pages do not stay cached. */
const logins = 2000;
const gigabytes = 8;

/**
 * Validate and refresh with a million users and three million logins, in turns with a database that
 * has only the users of the calls.
 */
export async function measureMillion(
  context: Context,
  name: string,
  environmentOf: () => Promise<Record<string, string> | undefined>,
): Promise<void> {
  const { program, report, thousands } = context;
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < gigabytes * 1e9) throw new Error(`${tmpdir()} has less than ${gigabytes} GB to spare`);
  const users = thousands * 1000;
  const alive: TestLogin[] = [];

  async function prepare(app: App, config: Config): Promise<void> {
    const began = performance.now();
    await fill(placeOf(config), { appId, users, now: app.ctx.clock() });
    const took = (performance.now() - began) / 1000;
    const kilobytes = (await bytesOf(placeOf(config))) / 1000 / users;
    report.note(`${name}: ${measured(users)} users, ${measured(3 * users)} logins`, `filled in ${measured(took)} s`);
    report.note(`${name}: of the database, each user with a password and three logins`, `${measured(kilobytes)} kB`);
    const ids = liveLogins(users, logins).map(loginId);
    alive.push(...(await Promise.all(ids.map(async (id) => await revive(app, id)))));
  }

  await withSubject({ program, environment: await environmentOf(), logins }, async (empty) => {
    await withSubject({ program, environment: await environmentOf(), prepare }, async (full) => {
      await compare(context, name, scattered(empty), scattered({ ...full, logins: alive }));
    });
  });
}

/**
 * Shuffles the logins. In order of creation, concurrent callers would share a page in the small
 * database but not in the full one: that would measure the order, not the size.
 */
function scattered(subject: Subject): Subject {
  const order = (login: TestLogin): string => digestOf(login.loginId);
  return { ...subject, logins: subject.logins.toSorted((a, b) => order(a).localeCompare(order(b))) };
}

async function compare(
  { program, report, load, rounds, seconds }: Context,
  name: string,
  empty: Subject,
  full: Subject,
): Promise<void> {
  const validate = (of: Subject) => async () => (await load(validatesOf(of, of.logins), { seconds })).perSecond;
  const refresh = (of: Subject) => {
    const slices = Math.floor(logins / rounds);
    let from = 0;
    return async () => {
      const fresh = of.logins.slice(from, (from += slices));
      return (await load(refreshesOf(of, fresh), { seconds })).perSecond;
    };
  };
  for (const each of [empty, full]) await load(validatesOf(each, each.logins), { seconds: 1 });
  const found = await inTurns(rounds, {
    validateWithout: validate(empty),
    validate: validate(full),
    refreshWithout: refresh(empty),
    refresh: refresh(full),
  });
  const bar = { atLeast: 0.85 };
  const { validateWithout, refreshWithout } = found;
  report.rate(`${name}: validate among them, of ${measured(validateWithout)}/s`, found.validate, validateWithout, bar);
  report.rate(`${name}: refresh among them, of ${measured(refreshWithout)}/s`, found.refresh, refreshWithout, bar);
  report.value(`${name}: app show with stats, the whole command`, showMilliseconds(program, full), "ms", {
    atMost: 50,
  });
  report.value(`${name}: the same by GET /applications/{appId}`, await getMilliseconds(full), "ms", { atMost: 50 });
}

export function placeOf({ database, dataDir }: Config): { file: string } | { url: string } {
  return database.url === undefined ? { file: join(dataDir, "authsvc.db") } : { url: database.url };
}

async function bytesOf(place: { file: string } | { url: string }): Promise<number> {
  if ("file" in place) return statSync(place.file).size;
  return await ask(place.url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
    return Number(rows[0]?.bytes);
  });
}

const looks = 11;

function showMilliseconds(program: Program, { config, environment }: Subject): number {
  return commandMilliseconds(program, ["app", "show", appId, "--json", "--data", config.dataDir], environment);
}

async function getMilliseconds({ server, headers }: Subject): Promise<number> {
  using look = await openTraffic({ kind: "get", url: `${server.url}/applications/${appId}`, headers: [headers] }, 1);
  return (await repeat(look.works, (done) => done >= looks)).medianMilliseconds;
}

/** Tokens for a login that was only written to the tables, as if it had just begun. */
export async function revive(app: App, id: string): Promise<TestLogin> {
  const { ctx } = app;
  const refreshToken = firstRefreshToken(id, systemRandom);
  const now = app.ctx.clock();
  await app.ctx.storage.write(async ({ db, tables }) => {
    await db
      .update(tables.logins)
      .set({ refreshDigest: refreshDigest(refreshToken), refreshedAt: now })
      .where(eq(tables.logins.id, id));
  });
  const login = await findLogin(app.ctx.storage.reader, id);
  const [user, application] = [
    await users.find(ctx.storage.reader, login?.userId ?? ""),
    await applications.find(ctx, ctx.storage.reader, login?.appId ?? ""),
  ];
  if (!login || !user || !application) throw new Error(`there is no login ${id}`);
  const pair = await tokens.firstPair(ctx, { login, refreshToken }, user, { application, proofKey: null }, now);
  return { loginId: id, email: user.email ?? "", ...pair };
}
