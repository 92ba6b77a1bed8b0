import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockFile } from "./file-lock.ts";

/**
 * The lock for migrating or restoring a database or changing a key file: one process at a time.
 */
export function lockOf(file: string): string {
  return `${file}.lock`;
}

/**
 * Removes leftovers of a killed migration or restore beside a database. Leaves files that are in
 * use.
 */
export function removeAbandoned(database: string): void {
  const name = basename(database);
  const left = filesIn(dirname(database)).filter(
    (file) =>
      file.startsWith(`${name}.restoring-`) ||
      (/\.before-(?:migration|restore)-\d+\.partial/u.test(file) && file.startsWith(`${name}.before-`)),
  );
  if (left.length > 0)
    removeUnder(
      lockOf(database),
      left.map((file) => join(dirname(database), file)),
    );
}

/**
 * Removes the keys that a killed write of a key file left behind. Leaves files that are in use, by
 * the key file's lock.
 */
export function removeAbandonedKeys(file: string): void {
  const [folder, name] = [dirname(file), basename(file)];
  const left = filesIn(folder).filter((each) => each.startsWith(name) && partialKey.test(each.slice(name.length)));
  if (left.length > 0)
    removeUnder(
      lockOf(file),
      left.map((each) => join(folder, each)),
    );
}

const partialKey = /^(?:\.before-rotation-\d+)?\.[0-9a-f]{12}\.partial$/u;

/** The name of an unfinished backup. The process that writes it holds the lock `claimOf`. */
export function partialOf(backup: string, unique: string): string {
  return join(dirname(backup), `.${basename(backup)}.${unique}.partial`);
}

export function claimOf(partial: string): string {
  return `${partial}.claim`;
}

/**
 * Removes unfinished backups of killed processes from a folder. Each contains the whole database.
 */
export function removeAbandonedBackups(folder: string): void {
  const partials = filesIn(folder).flatMap((file) => /^\..+\.[0-9a-f]{12}\.partial/u.exec(file)?.[0] ?? []);
  for (const name of new Set(partials)) {
    const partial = join(folder, name);
    removeUnder(
      claimOf(partial),
      ["", "-wal", "-shm", "-journal", ".lock"].map((suffix) => `${partial}${suffix}`),
    );
  }
}

function removeUnder(lock: string, files: string[]): void {
  try {
    const unlock = lockFile(lock);
    if (!unlock) return;
    try {
      for (const file of files) rmSync(file, { force: true });
    } finally {
      unlock();
    }
  } catch {
    // Nothing can be removed from this folder. Anybody who must write there reports the error.
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
