import Database from "better-sqlite3";
import { lstatSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPrivateFile } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";
import { foreignOwner } from "../../lib/own-files.ts";
import { makePrivateFolder } from "../../lib/private-folder.ts";

/**
 * Locks `file` for this process. Returns a function that unlocks and removes it, or undefined if
 * another process holds the lock. The operating system releases the lock when the process ends; a
 * leftover file locks nothing. Throws UNUSABLE_STORAGE.
 */
export function lockFile(file: string, attempts = 10): (() => void) | undefined {
  // Locks an empty SQLite database: Node has no other lock that ends with its process.
  let connection: Database.Database | undefined;
  try {
    makePrivateFolder(dirname(file));
    makePrivateFile(file);
    const { ino } = statSync(file);
    connection = new Database(file, { timeout: 0, fileMustExist: true });
    connection.exec("BEGIN EXCLUSIVE");
    const locked = connection;
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino)
      return () => {
        // Before unlocking: afterwards the file may belong to another process.
        removeIfPossible(file);
        locked.close();
      };
  } catch (cause) {
    connection?.close();
    if ((cause as { code?: string }).code === "SQLITE_BUSY") return undefined;
    // Probably another process has just released the lock and removed the file.
    if (attempts === 1 || !isGone(cause)) throw cause instanceof AppError ? cause : notWritable(dirname(file), cause);
    return lockFile(file, attempts - 1);
  }
  // The file was removed before we locked it: this lock would exclude nobody.
  connection.close();
  return lockFile(file);
}

/** Runs `work` under the lock and waits for its current holder. Throws CONFLICT after a minute. */
export async function underLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const unlock = lockFile(file);
    if (!unlock) {
      if (attempt === maxAttempts)
        throw new AppError(
          "CONFLICT",
          `Another authsvc process has held ${file} for a minute. Try again when it is done.`,
        );
      await sleep(pauseMilliseconds);
      continue;
    }
    try {
      return await work();
    } finally {
      unlock();
    }
  }
}

const pauseMilliseconds = 50;
const maxAttempts = 60_000 / pauseMilliseconds;

/** SQLite would create a file that others can read if the umask allows it. */
function makePrivateFile(file: string): void {
  try {
    createPrivateFile(file);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    // A dangling link would always look like a released lock.
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new AppError("UNUSABLE_STORAGE", `${file} is a symbolic link, which authsvc does not lock. Remove it.`);
  }
}

function isGone(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && ["ENOENT", "SQLITE_CANTOPEN", "SQLITE_IOERR_FSTAT"].includes(code);
}

export function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Windows cannot remove open files. A leftover file locks nothing.
  }
}

function notWritable(folder: string, cause: unknown): AppError {
  return new AppError(
    "UNUSABLE_STORAGE",
    `The data folder ${folder} is not writable: ${foreignOwner(join(folder, "authsvc.db")) ?? (cause as Error).message}. Make it writable for this user, or choose another folder with --data`,
    { cause },
  );
}
