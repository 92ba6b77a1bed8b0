import { dirname, resolve } from "node:path";

/**
 * What SQLite sorts and cannot keep in memory goes to files beside the database, which hold people's data as it does: not into the system's temporary
 * folder, which may be on another disk, small or not writable. An operator's SQLITE_TMPDIR stands. SQLite asks once, at the first connection of a
 * process.
 */
export function keepTemporaryFilesBeside(file: string): void {
  process.env["SQLITE_TMPDIR"] ??= dirname(resolve(file));
}
