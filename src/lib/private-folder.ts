import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "./errors.ts";

/**
 * Creates the folder and its parents for this user only. One level at a time, because Node's
 * recursive mkdir never returns below /proc. Throws UNUSABLE_STORAGE.
 */
export function makePrivateFolder(folder: string): void {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return;
    if (stats) throw unusable(folder, "is not a folder");
    if (dirname(folder) !== folder) makePrivateFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    // Another process created it first.
    if (code === "EEXIST" && statSync(folder).isDirectory()) return;
    throw unusable(folder, `cannot be created (${code})`, error);
  }
}

function unusable(folder: string, reason: string, cause?: unknown): AppError {
  return new AppError(
    "UNUSABLE_STORAGE",
    `The folder ${folder} ${reason}. Make it writable for this user, or name another folder with --data`,
    { cause },
  );
}
