import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { masterKeyOf, ownsMasterKey, type Config } from "../../config/config.ts";
import { AppError } from "../../lib/errors.ts";
import type { Actor } from "../../records/audit/audit.ts";
import { rotationMetadata } from "../../secrets/check.ts";
import { createOpener } from "../../secrets/keyring.ts";
import { lockMasterKey } from "../../secrets/master-key.ts";
import { belongsTo, presentKeys } from "../../secrets/open-keyring.ts";
import { findMetadata } from "../../secrets/store.ts";
import { countUnreadable } from "../../secrets/unreadable.ts";
import type { OnProgress } from "../../storage/backup/backup.ts";
import { copyRows, countRows, type CopiedTable } from "../../storage/backup/copy.ts";
import { replacePostgres, replaceSqlite, stageBackup } from "../../storage/backup/restore.ts";
import type { EndedAccess } from "../../storage/backup/restored-access.ts";
import { lockFile } from "../../storage/locks/file-lock.ts";
import { lockOf, removeAbandoned } from "../../storage/locks/half-made.ts";
import { fillDatabase, isInUse, openSnapshot } from "../../storage/open-snapshot.ts";
import { openStorage } from "../../storage/open.ts";
import type { DatabasePlace, Snapshot } from "../../storage/snapshot.ts";
import { encryptedColumns } from "./encrypted-columns.ts";
import { demandNewest, dialectOf, openPresent, placeOf, recordIn, type Surroundings } from "./maintenance.ts";

type Transfer = Surroundings & { onProgress: OnProgress };

/** `keptAs`: the file with the replaced database; null if there was none or nothing changed. */
export type Restored = {
  tables: CopiedTable[];
  schema: string;
  replaced: boolean;
  keptAs: string | null;
  /** Null if the logins were kept. */
  ended: EndedAccess | null;
};

/** `announce` gets the access that will end (null: none) before anything is replaced. */
type RestoreWish = {
  dryRun: boolean;
  keepLogins: boolean;
  announce(ended: EndedAccess | null): Promise<void>;
  confirm(present: string): Promise<void>;
};

/**
 * Restores a backup completely or not at all. `confirm` is called before anything is replaced, and
 * throws to keep it. Throws CONFLICT if the file is invalid, belongs to another master key, or the
 * service is running.
 */
export async function restoreDatabase(
  config: Config,
  backup: string,
  { dryRun, keepLogins, announce, confirm }: RestoreWish,
  actor: Actor,
  { onProgress, ...surroundings }: Transfer,
): Promise<Restored> {
  const place = placeOf(config);
  const now = surroundings.clock();
  const staged = `${place.file}.restoring-${randomBytes(6).toString("hex")}`;
  removeAbandoned(place.file);
  const unlock = lockFile(lockOf(place.file));
  if (!unlock)
    throw new AppError(
      "CONFLICT",
      "Another authsvc process is restoring or migrating this database. Try again when it is done.",
    );
  let unlockKey: (() => void) | undefined;
  try {
    if (ownsMasterKey(config)) unlockKey = lockMasterKey(masterKeyOf(config).file);
    const ended = (await stageBackup(backup, staged, { keepLogins, now, onProgress })) ?? null;
    await refuseOtherKey(staged, config, surroundings);
    const content = await contentOf(staged);
    await refuseWhileInUse(place);
    const present = await presentContent(place);
    const result = { ...content, ended, replaced: present !== undefined };
    await announce(ended);
    if (dryRun) return { ...result, keptAs: null };
    if (present !== undefined) {
      await confirm(present);
      // The answer to `confirm` may have taken long.
      await refuseWhileInUse(place);
      await refuseOtherKey(staged, config, surroundings);
    }
    const keepsAs =
      place.url === undefined && present !== undefined ? `${place.file}.before-restore-${now}` : undefined;
    await replace(staged, place, keepsAs, now, onProgress);
    const details = { schema: content.schema, keepLogins };
    await recordIn(place, { actor, action: "database.restore", result: "success", details }, surroundings);
    return { ...result, keptAs: keepsAs ?? null };
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal", ".stray-wal", ".stray-shm"])
      rmSync(`${staged}${suffix}`, { force: true });
    unlockKey?.();
    unlock();
  }
}

async function contentOf(staged: string) {
  const snapshot = await openPresent({ url: undefined, file: staged });
  try {
    return { tables: await countRows(snapshot), schema: snapshot.migrations.at(-1)?.name ?? "" };
  } finally {
    await snapshot.close();
  }
}

/** Throws CONFLICT for a backup that no master key here decrypts. */
async function refuseOtherKey(staged: string, config: Config, { random }: Surroundings): Promise<void> {
  const snapshot = await openPresent({ url: undefined, file: staged });
  try {
    const present = presentKeys(masterKeyOf(config), random);
    const keys = createOpener(present);
    const belongs = await belongsTo(snapshot.handle, keys);
    if (belongs === undefined) {
      throw new AppError(
        "CONFLICT",
        "The backup does not identify its master key: the row master-key-check is missing. Use another backup.",
      );
    }
    if (!belongs) {
      throw new AppError(
        "CONFLICT",
        present.length > 0
          ? "The backup needs another master key. Put that one in place first; after a rotation, add it as a second line."
          : "No master key found. Put the master key of the backup in place first.",
      );
    }
    const isMixed = (await findMetadata(snapshot.handle, rotationMetadata)) !== undefined;
    if (isMixed && (await countUnreadable(snapshot, encryptedColumns, keys)).length > 0) {
      throw new AppError(
        "CONFLICT",
        "The backup was made during a master key rotation, and part of it needs the old key: add that one as a second line.",
      );
    }
  } finally {
    await snapshot.close();
  }
}

async function refuseWhileInUse(place: DatabasePlace): Promise<void> {
  if (await isInUse(place))
    throw new AppError("CONFLICT", "The database is in use by another process. Stop the service first.");
}

/** A description of what would be replaced; undefined if nothing. */
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
    // An unreadable SQLite file may be replaced by a backup; a PostgreSQL that does not answer may
    // not.
    if (place.url !== undefined) throw error;
    return "an unreadable database";
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

/** `stillInUse`: the service keeps writing to the source, and later writes are not copied. */
export type Copied = { tables: CopiedTable[]; from: Snapshot["dialect"]; to: Snapshot["dialect"]; stillInUse: boolean };

/**
 * Copies the database at one moment into an empty one, and creates the schema there. Each table is
 * verified in the transaction that fills it. Throws CONFLICT if the target is not empty or is the
 * source.
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
    demandNewest(source);
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
      // Checked again within the transaction: a service may have started on it.
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
  return new AppError("CONFLICT", `The target is not empty: ${table} has rows. Copy to a new database.`);
}

function sameDatabase(): AppError {
  return new AppError("CONFLICT", "The target is the source database itself.");
}
