import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import type { Actor } from "./audit/audit.ts";
import type { Config } from "./config/config.ts";
import { AppError } from "./lib/errors.ts";
import { dialectOf, masterKeyOf, openPresent, placeOf, recordIn, type Surroundings } from "./maintenance.ts";
import { belongsTo, presentKeyring } from "./secrets/open-keyring.ts";
import type { OnProgress } from "./storage/backup.ts";
import { copyRows, countRows, type CopiedTable } from "./storage/copy.ts";
import { pendingMigrations, readMigrations } from "./storage/migrate.ts";
import { openStorage } from "./storage/open.ts";
import { replacePostgres, replaceSqlite, stageBackup } from "./storage/restore.ts";
import { fillDatabase, isInUse, openSnapshot, type DatabasePlace, type Snapshot } from "./storage/snapshot.ts";

type Transfer = Surroundings & { onProgress: OnProgress };

/** `keptAs`: the file with what was there before, null where there was nothing or nothing was changed. */
export type Restored = { tables: CopiedTable[]; schema: string; replaced: boolean; keptAs: string | null };

/**
 * Makes the database what a backup holds, all of it or nothing. `confirm` is asked before anything that is there is replaced, and throws to keep
 * it. Throws CONFLICT: the file is no good, belongs to another master key, or the service is running.
 */
export async function restoreDatabase(
  config: Config,
  backup: string,
  { dryRun, confirm }: { dryRun: boolean; confirm(present: string): Promise<void> },
  actor: Actor,
  { onProgress, ...surroundings }: Transfer,
): Promise<Restored> {
  const place = placeOf(config);
  const now = surroundings.clock();
  const staged = `${place.file}.restoring-${randomBytes(6).toString("hex")}`;
  try {
    await stageBackup(backup, staged, now, onProgress);
    const content = await contentOf(staged, config, surroundings);
    await refuseWhileInUse(place);
    const present = await presentContent(place);
    const result = { ...content, replaced: present !== undefined };
    if (dryRun) return { ...result, keptAs: null };
    if (present !== undefined) await confirm(present);
    const keepsAs =
      place.url === undefined && present !== undefined ? `${place.file}.before-restore-${now}` : undefined;
    await replace(staged, place, keepsAs, now, onProgress);
    const details = { schema: content.schema };
    await recordIn(place, { actor, action: "database.restore", result: "success", details }, surroundings);
    return { ...result, keptAs: keepsAs ?? null };
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${staged}${suffix}`, { force: true });
  }
}

async function contentOf(staged: string, config: Config, { random }: Surroundings) {
  const snapshot = await openPresent({ url: undefined, file: staged });
  try {
    const keyring = presentKeyring(masterKeyOf(config), random);
    if ((await belongsTo(snapshot.handle, keyring)) === false) {
      throw new AppError(
        "CONFLICT",
        keyring
          ? "The backup was made under another master key than the one here. Put the master key that belongs to it in place first."
          : "There is no master key here. Put the one that belongs to the backup in place first.",
      );
    }
    return { tables: await countRows(snapshot), schema: snapshot.migrations.at(-1)?.name ?? "" };
  } finally {
    await snapshot.close();
  }
}

async function refuseWhileInUse(place: DatabasePlace): Promise<void> {
  if (await isInUse(place))
    throw new AppError("CONFLICT", "The database is in use by another process. Stop the service first.");
}

/** What a person should know of what would be replaced; undefined when that is nothing. */
async function presentContent(place: DatabasePlace): Promise<string | undefined> {
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await openSnapshot(place);
    if (!snapshot) return undefined;
    const tables = await countRows(snapshot);
    const rows = (name: string): number => tables.find(({ table }) => table === name)?.rows ?? 0;
    if (tables.every((table) => table.rows === 0)) return undefined;
    return `${rows("applications")} applications and ${rows("users")} users`;
  } catch (error) {
    // A database that cannot be read is what backups are for; one that does not answer is not.
    if (place.url !== undefined) throw error;
    return "a database that cannot be read";
  } finally {
    await snapshot?.close();
  }
}

async function replace(
  staged: string,
  place: DatabasePlace,
  keptAs: string | undefined,
  now: number,
  onProgress: OnProgress,
): Promise<void> {
  if (place.url === undefined) return await replaceSqlite(staged, place.file, keptAs, onProgress);
  await (await openStorage({ ...place, poolSize: 1 }, now, () => {})).close();
  await replacePostgres(staged, place.url, onProgress);
}

/** `stillInUse`: the service goes on writing to the source, and what it writes is not copied. */
export type Copied = { tables: CopiedTable[]; from: Snapshot["dialect"]; to: Snapshot["dialect"]; stillInUse: boolean };

/**
 * Copies the database, as it is at one moment, into an empty one, whose schema is made first. Each table is read again there, in the
 * transaction that fills it. Throws CONFLICT when there is something in the target, or it is the source.
 */
export async function copyDatabase(
  config: Config,
  target: DatabasePlace,
  { dryRun }: { dryRun: boolean },
  actor: Actor,
  { onProgress, ...surroundings }: Transfer,
): Promise<Copied> {
  const place = placeOf(config);
  if (place.url === target.url && (place.url !== undefined || place.file === target.file)) throw sameDatabase();
  const stillInUse = await isInUse(place);
  const source = await openPresent(place);
  const ends = { from: source.dialect, to: dialectOf(target), stillInUse };
  try {
    if (pendingMigrations(source.migrations, readMigrations(source.dialect)).length > 0)
      throw new AppError("CONFLICT", "The database is older than this program: run authsvc db migrate first.");
    await refuseContent(target);
    if (dryRun) return { ...ends, tables: await countRows(source) };
    const tables = await fill(source, target, surroundings.clock(), onProgress);
    const event = { actor, action: "database.copy", result: "success", details: { from: ends.from } } as const;
    await recordIn(target, event, surroundings);
    return { ...ends, tables };
  } finally {
    await source.close();
  }
}

async function refuseContent(target: DatabasePlace): Promise<void> {
  const snapshot = await openSnapshot(target);
  try {
    const filled = snapshot && (await countRows(snapshot)).find(({ rows }) => rows > 0);
    if (filled) throw notEmpty(filled.table);
  } finally {
    await snapshot?.close();
  }
}

async function fill(
  source: Snapshot,
  target: DatabasePlace,
  now: number,
  onProgress: OnProgress,
): Promise<CopiedTable[]> {
  const isNew = target.url === undefined && !existsSync(target.file);
  const all = 2 * (await countRows(source)).reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  try {
    await (await openStorage({ ...target, poolSize: 1 }, now, () => {})).close();
    return await fillDatabase(target, async (filling) => {
      // Looked at again within the transaction: somebody may have started the service on it.
      const filled = (await countRows(filling)).find(({ rows }) => rows > 0);
      if (filled) throw notEmpty(filled.table);
      return await copyRows(source, filling, (rows) => onProgress((done += rows), all));
    });
  } catch (error) {
    if (isNew) for (const suffix of ["", "-wal", "-shm"]) rmSync(`${target.file}${suffix}`, { force: true });
    throw error;
  }
}

function notEmpty(table: string): AppError {
  return new AppError("CONFLICT", `The target is not empty: there are rows in ${table}. Copy into a new database.`);
}

function sameDatabase(): AppError {
  return new AppError("CONFLICT", "The target is the database itself.");
}
