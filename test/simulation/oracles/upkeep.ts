/** What operators do with the whole database in the end: a file of it all, a backup, and time. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openStorage } from "../../../src/storage/open.ts";
import { backUpDatabase, checkDatabase, placeOf } from "../../../src/upkeep/database/maintenance.ts";
import { restoreDatabase } from "../../../src/upkeep/database/transfers.ts";
import { command } from "../command-line.ts";
import { inOrder } from "../firm-answers.ts";
import type { Generator } from "../generator.ts";
import type { Handle } from "../../../src/storage/storage.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";

type Json = Record<string, unknown>;
type Application = { id: string } & Partial<Record<List, Json[]>>;
type State = { version: number; applications: Application[] };
type Change = { action: string; kind: string; application: string; name?: string; fields: { field: string }[] };
type List = (typeof lists)[number];

const actor = { kind: "cli", name: "upkeep" } as const;
const lists = ["groups", "clients", "webhooks", "resources", "providers"] as const;
const env = { SECRET: "a secret for whatever needs one, which is long enough" };

const text = (value: unknown): string => JSON.stringify(value, inOrder) ?? "";
const nameOf = (list: List, item: Json | string): string =>
  String(
    typeof item === "string"
      ? item
      : item[{ groups: "name", clients: "id", webhooks: "id", resources: "identifier", providers: "name" }[list]],
  );

class Files {
  readonly #world: World;
  readonly #chances: Generator;

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
  }

  async #run(args: string[], state?: State, code = 0): Promise<Json> {
    const ended = await command(this.#world, args, state ? JSON.stringify(state) : "", env);
    if (ended.code === code) return ended.said as Json;
    throw new Violation("O4", `${args.join(" ")} ended with ${ended.code} instead of ${code}: ${ended.notes}`);
  }

  async #exported(): Promise<State> {
    return (await this.#run(["export"])) as unknown as State;
  }

  async #planned(state: State, more: string[] = []): Promise<Change[]> {
    return (await this.#run(["plan", "-", ...more], state))["changes"] as Change[];
  }

  /** O4: a plan says what is done. What the file has is then there, and all else as before. */
  async check(): Promise<void> {
    const state = await this.#exported();
    if (this.#chances.chance(0.5)) return await this.#prunes(state);
    const same = await this.#planned(state, ["--prune"]);
    if (same.length > 0) throw new Violation("O4", `what was exported differs: ${text(same[0])}`);
    await this.#copies(state);
  }

  /** Another application by the same words, and its secrets. */
  async #copies(state: State): Promise<void> {
    const one = this.#chances.pick(state.applications.filter(({ clients }) => clients));
    const copied = JSON.parse(
      JSON.stringify(one)
        .replaceAll(/"(cli|whe)_/gu, '"$1_copy_')
        .replaceAll(`"${one.id}"`, `"${one.id}_copy"`)
        .replaceAll(/([a-z0-9-]+)\.example\b/gu, "$1.copy.example"),
    ) as Application;
    for (const each of copied.webhooks ?? []) each["secret"] = "env:SECRET";
    for (const each of copied.providers ?? []) each["clientSecret"] = "env:SECRET";
    const wanted = { version: 1, applications: [copied] };
    const hosts = "--secrets-to=corp.copy.example,idp.copy.example";
    const planned = await this.#planned(wanted, [hosts]);
    const { changes } = await this.#run(["apply", "-", hosts], wanted);
    if (text(changes) !== text(planned)) throw new Violation("O4", `planned: ${text(planned)}, done: ${text(changes)}`);
    const now = await this.#exported();
    const [made, ...others] = now.applications.toSorted(({ id }) => (id === copied.id ? -1 : 1));
    for (const each of copied.webhooks ?? []) delete each["secret"];
    for (const each of copied.providers ?? []) delete each["clientSecret"];
    // They were made at once, and are listed by their ids.
    for (const one of [made, copied])
      for (const list of lists) one?.[list]?.sort((a, b) => (nameOf(list, a) < nameOf(list, b) ? -1 : 1));
    if (text(made) !== text(copied)) throw new Violation("O4", `a file has ${text(copied)}, and made ${text(made)}`);
    if (text(others) !== text(state.applications)) throw new Violation("O4", "a file changed another application");
    this.#world.reached("an application made by a file");
  }

  /** What the file no longer names goes, and nothing else. */
  async #prunes(state: State): Promise<void> {
    const chances = this.#chances;
    const rest = async (): Promise<Json[]> => {
      const { code, said } = await command(this.#world, ["client", "list"]);
      return code === 0 ? (said as Json[]).filter(({ organizationId }) => organizationId) : [];
    };
    const machines = await rest();
    const should: string[] = [];
    const left = state.applications.flatMap((each): Application[] => {
      if (chances.chance(0.15)) {
        should.push(`application ${each.id} undefined`);
        return [];
      }
      const kept: Application = { ...each };
      for (const list of lists) {
        // Clients of organizations are in no file.
        const needs = text([list === "clients" ? [] : kept.clients, machines]);
        const items = (each[list] ?? []).filter((item) => {
          const name = nameOf(list, item);
          const isNeeded = (list === "groups" || list === "resources") && needs.includes(`"${name}"`);
          if (isNeeded || list === "providers" || chances.chance(0.6)) return true;
          should.push(`${list.slice(0, -1)} ${each.id} ${name}`);
          return false;
        });
        if (each[list]) kept[list] = items;
        if (items.length === 0) delete kept[list];
      }
      return [kept];
    });
    const wanted = { ...state, applications: left };
    const linesOf = (changes: Change[]): string[] =>
      changes
        .map(
          ({ action, kind, application, name }) => `${action === "delete" ? "" : action}${kind} ${application} ${name}`,
        )
        .toSorted();
    const planned = linesOf(await this.#planned(wanted, ["--prune"]));
    if (!isDeepStrictEqual(planned, should.toSorted()))
      throw new Violation("O4", `a file without ${should.join(", ")} would delete ${planned.join(", ")}`);
    const { changes } = await this.#run(["apply", "-", "--prune"], wanted);
    if (!isDeepStrictEqual(linesOf(changes as Change[]), should.toSorted()))
      throw new Violation(
        "O4",
        `a file without ${should.join(", ")} deleted ${linesOf(changes as Change[]).join(", ")}`,
      );
    const now = await this.#exported();
    if (text(now) !== text(wanted)) throw new Violation("O4", "after an apply, an export is not the file");
    const gone = new Set(should.flatMap((each) => (each.startsWith("application ") ? [each.split(" ")[1]] : [])));
    const remaining = machines.filter(({ appId }) => !gone.has(String(appId)));
    if (text(await rest()) !== text(remaining)) throw new Violation("O4", "a file deleted clients of organizations");
    this.#world.reached("what a file no longer names is gone");
  }
}

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
      return text(shard === undefined ? { ...row, value } : row);
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
  if (!problems.every(isRight)) throw new Violation("O4", `a restored database: ${text(problems)}`);
  const storage = await openStorage({ ...placeOf(config), poolSize: 1 }, ctx.clock(), () => {});
  const after = await rowsIn(storage.reader);
  await storage.close();
  const same = (rows: readonly Json[] = []): string =>
    rows
      .map((row) => text(row))
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
