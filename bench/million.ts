import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../src/app.ts";
import type { TestLogin } from "../src/benchmark/logins.ts";
import { percentile } from "../src/benchmark/percentiles.ts";
import { systemRandom } from "../src/lib/random.ts";
import { findLogin } from "../src/tokens/login-store.ts";
import { firstRefreshToken, refreshDigest } from "../src/tokens/refresh-tokens.ts";
import { inTurns, type Context } from "./context.ts";
import { fill, liveLogins, loginId } from "./fill.ts";
import { load } from "./load.ts";
import { measured } from "./report.ts";
import { withSubject, type Subject } from "./subject.ts";
import { refreshesOf, validatesOf } from "./tokens.ts";

/** What is asked for in turn: enough that pages of the database do not stay where they were just read. */
const logins = 2000;
const gigabytes = 8;

/** Validate and refresh of a service with a million users and three million logins, in turns with those of one that has only who is asked for. */
export async function measureMillion(
  context: Context,
  name: string,
  environmentOf: () => Promise<Record<string, string> | undefined>,
): Promise<void> {
  const { program, report, rounds, seconds, thousands } = context;
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize < gigabytes * 1e9) throw new Error(`${tmpdir()} has less than ${gigabytes} GB to spare`);
  const users = thousands * 1000;
  const alive: TestLogin[] = [];

  await withSubject({ program, environment: await environmentOf(), logins }, async (empty) => {
    const prepare = async (app: App, appId: string, place: { file: string } | { url: string }): Promise<void> => {
      const began = performance.now();
      await fill(place, { appId, users, now: app.clock() });
      report.note(`${name}: ${measured(users)} users and ${measured(3 * users)} logins`, `filled in ${measured((performance.now() - began) / 1000)} s`);
      alive.push(...(await Promise.all(liveLogins(users, logins).map(async (number) => await revive(app, loginId(number))))));
    };
    await withSubject({ program, environment: await environmentOf(), prepare }, async (subject) => {
      const full: Subject = { ...subject, logins: alive };
      for (const each of [empty, full]) await load(validatesOf(each, each.logins), { seconds: 1 });
      const refreshed = Math.floor(logins / rounds);
      const refresh = async (of: Subject, round: number): Promise<number> =>
        (await load(refreshesOf(of, of.logins.slice(round * refreshed, (round + 1) * refreshed)), { seconds })).perSecond;
      const turn = { empty: 0, full: 0 };
      const found = await inTurns(rounds, {
        emptyValidate: async () => (await load(validatesOf(empty, empty.logins), { seconds })).perSecond,
        fullValidate: async () => (await load(validatesOf(full, full.logins), { seconds })).perSecond,
        emptyRefresh: async () => await refresh(empty, turn.empty++),
        fullRefresh: async () => await refresh(full, turn.full++),
      });
      const bar = { atLeast: 0.85 };
      report.rate(`${name}: validate among them, of ${measured(found.emptyValidate)}/s without`, found.fullValidate, found.emptyValidate, bar);
      report.rate(`${name}: refresh among them, of ${measured(found.emptyRefresh)}/s without`, found.fullRefresh, found.emptyRefresh, bar);
      report.value(`${name}: app show with stats, the whole command`, showMilliseconds(context, full), "ms", { atMost: 50 });
    });
  });
}

/** Tokens for a login that was only written: its own, as if it had just begun. */
async function revive(app: App, id: string): Promise<TestLogin> {
  const { tokens, users, applications } = app.services;
  const refreshToken = firstRefreshToken(id, systemRandom);
  const now = app.clock();
  await app.storage.write(async ({ db, tables }) => {
    await db
      .update(tables.logins)
      .set({ refreshDigest: refreshDigest(refreshToken), refreshedAt: now })
      .where(eq(tables.logins.id, id));
  });
  const login = await findLogin(app.storage.reader, id);
  const [user, application] = [await users.find(login?.userId ?? ""), await applications.find(login?.appId ?? "")];
  if (!login || !user || !application) throw new Error(`there is no login ${id}`);
  const pair = await tokens.firstPair({ login, refreshToken }, user, application, now);
  return { loginId: id, email: user.email ?? "", ...pair };
}
