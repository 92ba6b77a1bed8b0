import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../lib/errors.ts";
import { copyRows, countRows, type CopiedTable } from "./copy.ts";
import { findDamage } from "./integrity.ts";
import { openStorage } from "./open.ts";
import { fillDatabase, type Snapshot } from "./snapshot.ts";
import { openSqliteSnapshot, type SqliteSnapshot } from "./sqlite-snapshot.ts";
import { settleSqliteFile } from "./sqlite.ts";

/** How far it is: of `all` where that is known. */
export type OnProgress = (done: number, all: number | undefined) => void;

export type Backup = { bytes: number; tables: CopiedTable[] };

/**
 * Writes what the snapshot sees to `file`, as one SQLite database whichever the source is: readable by its owner only, checked, and there
 * only when it is whole. Replaces a file of that name. Throws UNUSABLE_STORAGE.
 */
export async function writeBackup(
  snapshot: SqliteSnapshot | Snapshot,
  file: string,
  now: number,
  onProgress: OnProgress,
): Promise<Backup> {
  const partial = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}.partial`);
  try {
    closeSync(openSync(partial, "wx", 0o600));
  } catch (cause) {
    throw new AppError(
      "SERVER_ERROR",
      `The backup cannot be written to ${dirname(file)}: ${(cause as Error).message}.`,
      {
        cause,
      },
    );
  }
  try {
    if ("copyPages" in snapshot) await snapshot.copyPages(partial, onProgress);
    else await fillFile(snapshot, partial, now, onProgress);
    settleSqliteFile(partial);
    const tables = await checkedTables(partial);
    const { size: bytes } = statSync(partial);
    renameSync(partial, file);
    syncFolder(dirname(file));
    return { bytes, tables };
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${partial}${suffix}`, { force: true });
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
  if (!copy) throw new AppError("UNUSABLE_STORAGE", "The backup disappeared while it was written.");
  try {
    const [damage] = await findDamage(copy);
    if (damage !== undefined)
      throw new AppError("UNUSABLE_STORAGE", `The database is damaged, and so would be its backup: ${damage}.`);
    return await countRows(copy);
  } finally {
    await copy.close();
  }
}

/** A file's new name is durable when its folder is. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
