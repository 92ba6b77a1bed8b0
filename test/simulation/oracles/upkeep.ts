/** What operators do with the whole database in the end: a backup, a restore, and time. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openStorage } from "../../../src/storage/open.ts";
import { backUpDatabase, checkDatabase, placeOf } from "../../../src/upkeep/database/maintenance.ts";
import { restoreDatabase } from "../../../src/upkeep/database/transfers.ts";
import { textOf } from "../firm-answers.ts";
import type { Generator } from "../generator.ts";
import type { Handle } from "../../../src/storage/storage.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";
import { Files } from "./state-files.ts";

type Json = Record<string, unknown>;
const actor = { kind: "cli", name: "upkeep" } as const;

/** Each takes a second, so that it is looked at in some runs. Afterwards, nothing stays. */
export async function checkUpkeep(world: World, chances: Generator): Promise<void> {
  if (chances.chance(0.5)) await checkBackup(world, chances);
  await new Files(world, chances).check();
  // What was written while a clock was wrong goes earlier or later.
  if (chances.chance(0.5) && world.clockWasRight(1)) await checkRetention(world);
}

const minute = 60_000;
const day = 1440 * minute;
type Rows = Map<string, Json[]>;

async function rowsIn(reader: Handle): Promise<Rows> {
  const rows: Rows = new Map();
  for (const [name, table] of Object.entries(reader.tables))
    rows.set(name, (await reader.db.select().from(table as never)) as Json[]);
  return rows;
}

/** Their ids, or all of them, but for the parts of a number, which become one. */
const keysOf = (rows: readonly Json[] = []): Set<string> =>
  new Set(
    rows.map(({ id, shard, value, ...row }) => {
      if (typeof id === "string") return id;
      return textOf(shard === undefined ? { ...row, value } : row);
    }),
  );

/** How many days rows of today last: at least, and at most (docs/security.md). */
const lasting: Record<string, [least: number, most: number]> = {
  signInSessions: [0, 2],
  authorizationRequests: [0, 1],
  deviceRequests: [0, 2],
  oauthStates: [0, 1],
  organizationVisits: [0, 1],
  passkeyChallenges: [0, 1],
  mailAllowances: [0, 1],
  passwordFailures: [0, 2],
  rateLimitCounts: [0, 2],
  mails: [0, 3],
  emailTokens: [0, 31],
  browserSessions: [0, 365],
  sentMails: [30, 30],
  webhookDeliveries: [30, 30],
  auditEvents: [90, 90],
  // Those of hours.
  activityCounts: [90, Infinity],
};

/** What may end after some days: with its organization, or by a life of its own. */
const mayEnd =
  /^(?:organization|proxyLogins|logins|revocations|facts|signingKeys|applicationCounters|usedAssertions|personalTokens|trustedBrowsers|knownBrowsers|operatorSessions|client|apiKeys|approval|refused|deleted|userSearch)/u;

/** O4 and O11: each row goes when it was promised, and not earlier. */
async function checkRetention(world: World): Promise<void> {
  const { node } = world;
  const { reader } = node.ctx.storage;
  const first = await rowsIn(reader);
  // Who never took an invitation to operate goes with it, and who waits too long for approval.
  const guests = first.get("users")?.filter(({ appId, pendingAt }) => appId === "app_console" || pendingAt !== null);
  const mayGo = new Set(guests?.map(({ id }) => id));
  for (const days of [29, 31, 89, 91]) {
    world.setClock(days * day);
    await node.app.sweep();
    const now = await rowsIn(reader);
    for (const [name, rows] of first) {
      const [least, most] = lasting[name] ?? [mayEnd.test(name) ? 0 : Infinity, Infinity];
      const left = keysOf(now.get(name));
      const others = rows.filter(({ id, userId = id }) => !mayGo.has(userId));
      const wrong = [...keysOf(others)].find((key) => (left.has(key) ? days > most : days < least));
      if (wrong !== undefined)
        throw new Violation(days > most ? "O11" : "O4", `${name} ${wrong} after ${days} days: ${least} to ${most}`);
    }
    const known = keysOf(first.get("auditEvents"));
    const entries = (now.get("auditEvents") ?? []).filter(({ id }) => known.has(String(id)));
    const addresses = (rows: readonly Json[] = []): number =>
      rows.filter(({ ipAddress, userId }) => ipAddress !== null && !mayGo.has(userId)).length;
    const should = days > 30 ? 0 : addresses(first.get("auditEvents"));
    if (addresses(entries) !== should)
      throw new Violation("O11", `${addresses(entries)} entries have addresses after ${days} days, not ${should}`);
  }
  world.reached("old rows swept");
}

/** Without what a restore ends (docs/operating.md). */
const ended = [
  "browserSessions",
  "signInSessions",
  "oauthStates",
  "organizationVisits",
  "authorizationRequests",
  "consents",
  "emailTokens",
  "trustedBrowsers",
];

/** Those that a restore changes in part, and what it writes itself. */
const changes = ["logins", "personalTokens", "mails", "applicationCounters", "facts", "revocations", "auditEvents"];

/** O4 and O1: a backup has all that there is, and a restore gives all of it but access. */
async function checkBackup(world: World, chances: Generator): Promise<void> {
  const { ctx } = world.node;
  // Of another database, all that is known is in `test/cli`.
  if (ctx.storage.dialect === "postgres") return;
  const keepLogins = chances.chance(0.4);
  const config = { ...ctx.config, dataDir: join(ctx.config.dataDir, "restored") };
  const file = join(ctx.config.dataDir, "a.backup");
  mkdirSync(config.dataDir, { mode: 0o700 });
  copyFileSync(join(ctx.config.dataDir, "master.key"), join(config.dataDir, "master.key"));
  const surroundings = { clock: ctx.clock, random: ctx.random, onProgress: () => {} };
  const nothing = async (): Promise<void> => await Promise.resolve();
  const wish = { dryRun: false, keepLogins, announce: nothing, confirm: nothing };
  const before = await rowsIn(ctx.storage.reader);
  await backUpDatabase(ctx.config, file, actor, surroundings);
  await restoreDatabase(config, file, wish, actor, surroundings);
  const problems = await checkDatabase(config, surroundings);
  // What was written while a clock was ahead is of the future.
  const isRight = ({ check }: { check: string }): boolean => check === "times" && !world.clockWasRight(1);
  if (!problems.every(isRight)) throw new Violation("O4", `a restored database: ${textOf(problems)}`);
  const storage = await openStorage({ ...placeOf(config), poolSize: 1 }, ctx.clock(), () => {});
  const after = await rowsIn(storage.reader);
  await storage.close();
  const same = (rows: readonly Json[] = []): string =>
    rows
      .map((row) => textOf(row))
      .toSorted()
      .join("\n");
  for (const [name, rows] of before) {
    const is = after.get(name) ?? [];
    const ends = !keepLogins && ended.includes(name);
    if (ends ? is.length > 0 : !changes.includes(name) && same(is) !== same(rows))
      throw new Violation(ends ? "O1" : "O4", `a restore has ${is.length} ${name}, and the backup ${rows.length}`);
    const known = keysOf(is);
    if (["logins", "personalTokens", "auditEvents"].includes(name) && ![...keysOf(rows)].every((key) => known.has(key)))
      throw new Violation("O4", `a restore lacks ${name}`);
    const lives = (row: Json): boolean => row["endedAt"] === null && Number(row["expiresAt"]) > ctx.clock();
    const [live, wanted] = [is.filter(lives).length, keepLogins ? rows.filter(lives).length : 0];
    if (/^(?:logins|personalTokens)$/u.test(name) && live !== wanted)
      throw new Violation("O1", `after a restore, ${live} ${name} live instead of ${wanted}`);
  }
  world.reached("a backup restored");
}
