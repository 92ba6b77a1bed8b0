/**
 * Who runs the installation: rotates the master key, checks the database, restores backups.
 * On PostgreSQL, connections of other processes are not simulated.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../src/config/config.ts";
import type { DatabasePlace } from "../../../src/storage/snapshot.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { tableNames, type TableName } from "../../../src/storage/table-names.ts";
import { backUpDatabase, checkDatabase, openPresent, placeOf } from "../../../src/upkeep/database/maintenance.ts";
import { planRotation, rotateMasterKey } from "../../../src/upkeep/database/master-key-rotation.ts";
import { restoreDatabase } from "../../../src/upkeep/database/transfers.ts";
import { textOf } from "../firm-answers.ts";
import type { Generator } from "../generator.ts";
import { Violation } from "../model.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const actor = { kind: "cli", name: "upkeep" } as const;
const minute = 60_000;
/** Tables that a restore empties (docs/operating.md), and that it changes besides. */
const emptied = new Set<TableName>([
  "browserSessions",
  "signInSessions",
  "passkeyChallenges",
  "oauthStates",
  "organizationVisits",
  "authorizationRequests",
  "consents",
  "emailTokens",
  "trustedBrowsers",
  "revocations",
]);
const changed = emptied.union(
  new Set<TableName>(["logins", "personalTokens", "applicationCounters", "mails", "facts", "auditEvents"]),
);

export async function upkeep(world: World, { chances, isOver }: Part): Promise<void> {
  if (world.nodes.length > 1) return;
  const { config } = world.node.ctx;
  const surroundings = { clock: () => time.now(), random: (size: number) => Buffer.from(chances.bytes(size)) };
  for (let round = 0; !isOver(); round += 1) {
    await time.pause(chances.wait(12 * minute) + minute);
    if (isOver()) return;
    await rotate(world, config, chances);
    // Now it reads what it needs with the new key alone.
    if (chances.chance(0.8)) await world.stop();
    await time.pause(chances.wait(2 * minute) + 1);
    await isSound(world, config, surroundings);
    if (round === 0) await restoreElsewhere(world, config, { ...surroundings, onProgress: () => {} }, round);
  }
}

/** O4: nobody is signed out, and nothing is lost, also if it is killed and run again. */
async function rotate(world: World, config: Config, chances: Generator): Promise<void> {
  const dieSometimes = (): void => {
    if (!chances.chance(0.08)) return;
    world.reached("a rotation of the master key that was killed");
    throw new Lost("a command was killed");
  };
  const storageAround = (storage: Storage): Storage => {
    const write: Storage["write"] = async (work) => {
      dieSometimes();
      return await storage.write(work).finally(dieSometimes);
    };
    return { ...storage, write, writeOne: write };
  };
  const surroundings = {
    clock: () => time.now(),
    random: (size: number) => Buffer.from(chances.bytes(size)),
    storageAround,
  };
  const wish = { newKey: undefined, confirm: async () => {} };
  const plan = await planRotation(config, undefined, surroundings);
  const { values, ...others } = plan;
  const should = { makesKey: true, switches: true, unreadable: 0 };
  if (textOf(others) !== textOf(should) || values === 0) throw new Violation("O4", `a rotation plans ${textOf(plan)}`);
  for (;;) {
    world.note("the master key is rotated");
    try {
      const { unreadable } = await rotateMasterKey(config, wish, actor, surroundings);
      if (unreadable > 0) throw new Violation("O4", `a rotation cannot read ${unreadable} values`);
      world.reached("a rotation of the master key");
      return;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
    await time.pause(chances.wait(minute) + 1);
  }
}

type Transfer = Parameters<typeof backUpDatabase>[3];

/** O4: `authsvc db check` finds nothing. */
async function isSound(world: World, config: Config, surroundings: Omit<Transfer, "onProgress">): Promise<void> {
  const problems = await checkDatabase(config, surroundings);
  // A clock may have been ahead.
  const found = problems.filter(({ check }) => check !== "times" || world.clockHasBeenRight);
  world.reached("a check of the database");
  if (found.length > 0) throw new Violation("O4", `the database has problems: ${textOf(found)}`);
}

/** The rows of each table, as text. */
async function rowsOf(place: DatabasePlace): Promise<Map<TableName, string[]>> {
  const snapshot = await openPresent(place);
  try {
    const rows = new Map<TableName, string[]>();
    for (const table of tableNames) {
      const found: string[] = [];
      for await (const batch of snapshot.batches(table)) for (const row of batch) found.push(JSON.stringify(row));
      rows.set(table, found.toSorted());
    }
    return rows;
  } finally {
    await snapshot.close();
  }
}

/** O4, O1 and O9: a backup is what was there. It is restored without access, and says so. */
async function restoreElsewhere(world: World, config: Config, surroundings: Transfer, round: number): Promise<void> {
  const [file, folder] = [join(config.dataDir, `backup-${round}`), join(config.dataDir, `restored-${round}`)];
  mkdirSync(folder, { mode: 0o700 });
  const other = { ...config, dataDir: folder };
  const before = await rowsOf(placeOf(config));
  const { unrecorded } = await backUpDatabase(config, file, actor, surroundings);
  const after = await rowsOf(placeOf(config));
  copyFileSync(join(config.dataDir, "master.key"), join(folder, "master.key"));
  const backup = await rowsOf({ url: undefined, file });
  const wish = { dryRun: false, keepLogins: false, announce: async () => {}, confirm: async () => {} };
  await restoreDatabase(other, file, wish, actor, surroundings);
  await isSound(world, other, surroundings);
  const restored = await rowsOf(placeOf(other));
  const must = (oracle: string, isSo: boolean, message: string): void => {
    if (!isSo) throw new Violation(oracle, message);
  };
  must("O9", unrecorded === undefined, `a backup left no entry: ${String(unrecorded)}`);
  for (const table of tableNames) {
    const [was, is, saved] = [before, after, backup].map((rows) => (rows.get(table) ?? []).join("\n"));
    if (was === is) must("O4", saved === is, `a backup has other ${table}`);
    const here = restored.get(table) ?? [];
    if (!changed.has(table)) must("O4", here.join("\n") === saved, `a restored backup has other ${table}`);
    if (emptied.has(table)) must("O1", here.length === 0, `a restored backup has ${table}`);
  }
  const alive = restored.get("logins")?.filter((row) => row.includes('"endedAt":null')) ?? [];
  must("O1", alive.length === 0, `a restored backup has logins: ${alive[0]}`);
  const entries = restored.get("auditEvents")?.filter((row) => !backup.get("auditEvents")?.includes(row)) ?? [];
  const isEntry = entries.length === 1 && entries[0]?.includes('"database.restore"') === true;
  must("O9", isEntry, `a restore left the entries ${entries.join()}`);
  world.reached("a backup that was restored elsewhere");
  for (const path of [file, folder]) rmSync(path, { recursive: true });
}
