import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { keepTemporaryFilesBeside } from "../config/temporary-files.ts";
import { AppError } from "../lib/errors.ts";
import type { OnProgress } from "./backup.ts";
import { copyRows } from "./copy.ts";
import { findDamage } from "./integrity.ts";
import { pendingMigrations, readMigrations } from "./migrate.ts";
import { openStorage } from "./open.ts";
import { openSqliteSnapshot } from "./sqlite-snapshot.ts";
import { isCorruption, settleSqliteFile } from "./sqlite.ts";

/**
 * Brings a copy of a backup to `staged`, a new file, at the newest schema: what is checked there is what is restored, whatever happens to the
 * backup meanwhile. Throws CONFLICT for what is no backup of ours, is damaged, or comes from a newer program.
 */
export async function stageBackup(backup: string, staged: string, now: number, onProgress: OnProgress): Promise<void> {
  keepTemporaryFilesBeside(staged);
  await copyChecked(backup, staged, onProgress);
  await (await openStorage({ url: undefined, poolSize: 1, file: staged }, now, () => {})).close();
  rmSync(`${staged}.before-migration-${now}`, { force: true });
  settleSqliteFile(staged);
}

async function copyChecked(backup: string, staged: string, onProgress: OnProgress): Promise<void> {
  const snapshot = await openSqliteSnapshot(backup).catch((cause: unknown) => {
    throw refused(backup, isCorruption(cause) ? "is damaged" : "is not a backup of authsvc", cause);
  });
  if (!snapshot) throw refused(backup, "is not there any more");
  try {
    if (snapshot.migrations.length === 0) throw refused(backup, "is not a backup of authsvc");
    try {
      pendingMigrations(snapshot.migrations, readMigrations("sqlite"));
    } catch (cause) {
      throw refused(backup, "comes from another version of authsvc, and this one cannot read it", cause);
    }
    const [damage] = await findDamage(snapshot);
    if (damage !== undefined) throw refused(backup, `is damaged: ${damage}`);
    mkdirSync(dirname(staged), { recursive: true, mode: 0o700 });
    closeSync(openSync(staged, "wx", 0o600));
    await snapshot.copyPages(staged, onProgress);
  } finally {
    await snapshot.close();
  }
}

function refused(backup: string, reason: string, cause?: unknown): AppError {
  return new AppError("CONFLICT", `The file ${basename(backup)} ${reason}.`, { cause });
}

/**
 * Makes `live` what `staged` is, and keeps what was there as `keptAs` when that is given. One transaction of SQLite: whoever opens the database sees it before or
 * after, also when the machine stops in between.
 */
export async function replaceSqlite(
  staged: string,
  live: string,
  keptAs: string | undefined,
  onProgress: OnProgress,
): Promise<void> {
  if (!existsSync(live)) {
    // Whoever lost the database but not its log would have SQLite write that log into the one that is restored.
    moveLogAside(live, `${staged}.stray`);
    renameSync(staged, live);
    return;
  }
  const before = await openSqliteSnapshot(live).catch(() => undefined);
  if (!before) {
    if (keptAs !== undefined) moveAside(live, keptAs);
    renameSync(staged, live);
    return;
  }
  try {
    if (keptAs !== undefined) {
      closeSync(openSync(keptAs, "wx", 0o600));
      await before.copyPages(keptAs, () => {});
      settleSqliteFile(keptAs);
    }
  } finally {
    await before.close();
  }
  const snapshot = await openSqliteSnapshot(staged);
  try {
    await snapshot?.copyPages(live, onProgress);
  } catch (error) {
    // What was to be replaced is still in its place.
    if (keptAs !== undefined) rmSync(keptAs, { force: true });
    throw error;
  } finally {
    await snapshot?.close();
  }
}

/** A file that SQLite cannot read cannot be written over by it either. Its log must not be taken for that of the next file. */
function moveAside(live: string, keptAs: string): void {
  linkSync(live, keptAs);
  moveLogAside(live, keptAs);
}

function moveLogAside(live: string, keptAs: string): void {
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(`${live}${suffix}`)) renameSync(`${live}${suffix}`, `${keptAs}${suffix}`);
  }
}

/** Replaces the rows of every table in one transaction, which other connections wait for. */
export async function replacePostgres(staged: string, url: string, onProgress: OnProgress): Promise<void> {
  const { fillPostgres } = await import("./postgres-snapshot.ts");
  const snapshot = await openSqliteSnapshot(staged);
  if (!snapshot) throw refused(staged, "is not there any more");
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
