import { dirname, resolve } from "node:path";

/**
 * Makes SQLite put its temporary files beside the database. They hold user data, and the system's
 * temporary folder may be on another disk, small, or not writable. An operator's SQLITE_TMPDIR
 * wins. SQLite reads it once, at the first connection of a process.
 */
export function keepTemporaryFilesBeside(file: string): void {
  process.env["SQLITE_TMPDIR"] ??= dirname(resolve(file));
}
