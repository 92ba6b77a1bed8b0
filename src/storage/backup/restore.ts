import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { keepTemporaryFilesBeside } from "../sqlite/temporary-files.ts";
import { createPrivateFile, replaceDurably, syncFolder } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";
import { makePrivateFolder } from "../../lib/private-folder.ts";
import type { OnProgress } from "./backup.ts";
import { copyRows } from "./copy.ts";
import { findForeignSchema } from "./foreign-schema.ts";
import { findDamage } from "./integrity.ts";
import { pendingMigrations, readMigrations } from "../migrate.ts";
import { openStorage } from "../open.ts";
import { beginNewFeed, endRestoredAccess, type EndedAccess } from "./restored-access.ts";
import { openSqliteSnapshot, type SqliteSnapshot } from "../sqlite/snapshot.ts";
import { isCorruption, settleSqliteFile } from "../sqlite/sqlite.ts";

/**
 * Copies a backup to the new file `staged` and migrates it, so that what is checked is what gets
 * restored. Throws CONFLICT if it is not our backup, damaged, altered, or from a newer program.
 * Returns the access that was ended; undefined with `keepLogins`.
 */
export async function stageBackup(
  backup: string,
  staged: string,
  { keepLogins, now, onProgress }: { keepLogins: boolean; now: number; onProgress: OnProgress },
): Promise<EndedAccess | undefined> {
  keepTemporaryFilesBeside(staged);
  await copyChecked(backup, staged, onProgress);
  const storage = await openStorage({ url: undefined, poolSize: 1, file: staged }, now, () => {});
  try {
    return await storage.write(async (tx) => {
      await beginNewFeed(tx);
      return keepLogins ? undefined : await endRestoredAccess(tx, now);
    });
  } finally {
    await storage.close();
    rmSync(`${staged}.before-migration-${now}`, { force: true });
    settleSqliteFile(staged);
  }
}

async function copyChecked(backup: string, staged: string, onProgress: OnProgress): Promise<void> {
  const snapshot = await openSqliteSnapshot(backup).catch((cause: unknown) => {
    throw refused(backup, isCorruption(cause) ? "is damaged" : "is not a backup of authsvc", cause);
  });
  if (!snapshot) throw refused(backup, "no longer exists");
  try {
    if (snapshot.migrations.length === 0) throw refused(backup, "is not a backup of authsvc");
    try {
      pendingMigrations(snapshot.migrations, readMigrations("sqlite"));
    } catch (cause) {
      throw refused(backup, "comes from another version of authsvc, which this one cannot read", cause);
    }
    const [damage] = await findDamage(snapshot);
    if (damage !== undefined) throw refused(backup, `is damaged: ${damage}`);
    const [foreign] = await findForeignSchema(snapshot);
    if (foreign !== undefined) throw refused(backup, `has a schema that authsvc did not create: ${foreign}`);
    makePrivateFolder(dirname(staged));
    createPrivateFile(staged);
    await snapshot.copyPages(staged, onProgress);
  } finally {
    await snapshot.close();
  }
}

function refused(backup: string, reason: string, cause?: unknown): AppError {
  return new AppError("CONFLICT", `The file ${basename(backup)} ${reason}.`, { cause });
}

/**
 * Replaces `live` by `staged`, and keeps the old database as `keptAs` if given. One SQLite
 * transaction: others see the old or the new database, even if the machine stops in between.
 */
export async function replaceSqlite(
  staged: string,
  live: string,
  keptAs: string | undefined,
  onProgress: OnProgress,
): Promise<void> {
  if (!existsSync(live)) {
    // If only the database was lost but not its log, SQLite would apply that log to the restored
    // database.
    moveLogAside(live, `${staged}.stray`);
    replaceDurably(staged, live);
    return;
  }
  const before = await openSqliteSnapshot(live).catch(() => undefined);
  if (!before) {
    if (keptAs !== undefined) moveAside(live, keptAs);
    replaceDurably(staged, live);
    return;
  }
  try {
    if (keptAs !== undefined) await keep(before, keptAs);
  } finally {
    await before.close();
  }
  const snapshot = await openSqliteSnapshot(staged);
  try {
    await snapshot?.copyPages(live, onProgress);
  } catch (error) {
    // The old database is still in place.
    if (keptAs !== undefined) rmSync(keptAs, { force: true });
    throw error;
  } finally {
    await snapshot?.close();
  }
}

async function keep(before: SqliteSnapshot, keptAs: string): Promise<void> {
  const partial = `${keptAs}.partial`;
  try {
    createPrivateFile(partial);
    await before.copyPages(partial, () => {});
    settleSqliteFile(partial);
    replaceDurably(partial, keptAs);
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * SQLite cannot overwrite a file that it cannot read. Its log must not be applied to the next file.
 */
function moveAside(live: string, keptAs: string): void {
  linkSync(live, keptAs);
  moveLogAside(live, keptAs);
  syncFolder(dirname(live));
}

function moveLogAside(live: string, keptAs: string): void {
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(`${live}${suffix}`)) renameSync(`${live}${suffix}`, `${keptAs}${suffix}`);
  }
}

/** Replaces the rows of all tables in one transaction. Other connections wait for it. */
export async function replacePostgres(staged: string, url: string, onProgress: OnProgress): Promise<void> {
  const { fillPostgres } = await import("../postgres/snapshot.ts");
  const snapshot = await openSqliteSnapshot(staged);
  if (!snapshot) throw refused(staged, "no longer exists");
  let done = 0;
  try {
    await fillPostgres(url, async (target) => {
      await target.clear();
      await copyRows(snapshot, target, (rows) => onProgress((done += rows), undefined));
    });
  } finally {
    await snapshot.close();
  }
}
