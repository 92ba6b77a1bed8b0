import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceDurably } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";
import type { Random } from "../../lib/random.ts";
import { copyRows, countRows, type CopiedTable } from "./copy.ts";
import { findDamage } from "./integrity.ts";
import { lockFile } from "../locks/file-lock.ts";
import { claimOf, partialOf, removeAbandonedBackups } from "../locks/half-made.ts";
import { fillDatabase } from "../open-snapshot.ts";
import { openStorage } from "../open.ts";
import type { Snapshot } from "../snapshot.ts";
import { openSqliteSnapshot, type SqliteSnapshot } from "../sqlite/snapshot.ts";
import { settleSqliteFile } from "../sqlite/sqlite.ts";

/** Reports progress; `all` is undefined if the total is unknown. */
export type OnProgress = (done: number, all: number | undefined) => void;

export type Backup = { bytes: number; tables: CopiedTable[] };

/**
 * Writes the snapshot to `file` as one SQLite database, from either database. The file is readable
 * by its owner only, checked, and gets its name once complete. Replaces an existing file. Throws
 * UNUSABLE_STORAGE.
 */
export async function writeBackup(
  snapshot: SqliteSnapshot | Snapshot,
  file: string,
  { now, random }: { now: number; random: Random },
  onProgress: OnProgress,
): Promise<Backup> {
  const { partial, release } = claim(file, random);
  try {
    if ("copyPages" in snapshot) await snapshot.copyPages(partial, onProgress);
    else await fillFile(snapshot, partial, now, onProgress);
    settleSqliteFile(partial);
    const tables = await checkedTables(partial);
    const { size: bytes } = statSync(partial);
    replaceDurably(partial, file);
    return { bytes, tables };
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${partial}${suffix}`, { force: true });
    release();
  }
}

/**
 * Creates an empty file with an unused name beside `file`, and locks it so that nobody removes it
 * as abandoned.
 */
function claim(file: string, random: Random): { partial: string; release: () => void } {
  const folder = dirname(file);
  let release: (() => void) | undefined;
  try {
    removeAbandonedBackups(folder);
    let partial: string;
    // A cleanup of the folder may hold the lock of this name: try another name.
    do {
      partial = partialOf(file, Buffer.from(random(6)).toString("hex"));
      release = lockFile(claimOf(partial));
    } while (!release);
    closeSync(openSync(partial, "wx", 0o600));
    return { partial, release };
  } catch (error) {
    release?.();
    const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : (error as Error);
    throw new AppError("SERVER_ERROR", `The backup cannot be written to ${folder}: ${cause.message}.`, { cause });
  }
}

async function fillFile(source: Snapshot, file: string, now: number, onProgress: OnProgress): Promise<void> {
  await (await openStorage({ url: undefined, poolSize: 1, file }, now, () => {})).close();
  let done = 0;
  await fillDatabase({ url: undefined, file }, (target) =>
    copyRows(source, target, (rows) => onProgress((done += rows), undefined)),
  );
}

async function checkedTables(file: string): Promise<CopiedTable[]> {
  const copy = await openSqliteSnapshot(file);
  if (!copy) throw new AppError("UNUSABLE_STORAGE", "The backup was deleted while it was being written.");
  try {
    const [damage] = await findDamage(copy);
    if (damage !== undefined)
      throw new AppError("UNUSABLE_STORAGE", `The database is damaged, and a backup would be too: ${damage}.`);
    return await countRows(copy);
  } finally {
    await copy.close();
  }
}
