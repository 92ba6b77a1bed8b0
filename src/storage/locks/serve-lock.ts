import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { refuseForeignWriters } from "../open.ts";
import { lockFile, removeIfPossible } from "./file-lock.ts";

/**
 * Locks a data folder until this process ends. The returned function unlocks it and removes the
 * files, for a failed start. Throws CONFLICT, naming the holder.
 */
export function lockDataFolder(dataDir: string): () => void {
  // Other users must not be able to replace our files by links.
  refuseForeignWriters(join(dataDir, "authsvc.db"));
  const pidFile = join(dataDir, "serve.pid");
  const unlock = lockFile(join(dataDir, "serve.lock"));
  if (!unlock)
    throw new AppError(
      "CONFLICT",
      `Another authsvc process serves the data folder ${dataDir}${holderOf(pidFile)}. Stop it first, or choose another folder with --data. Several processes need PostgreSQL.`,
    );
  writePid(pidFile);
  return () => {
    // Before unlocking: afterwards the file may belong to another process.
    removeIfPossible(pidFile);
    unlock();
  };
}

/** The file only informs. On a full disk the service starts without it. */
function writePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    removeIfPossible(pidFile);
  }
}

function holderOf(pidFile: string): string {
  try {
    const [pid = ""] = /^\d+/u.exec(readFileSync(pidFile, "utf8")) ?? [];
    return pid === "" ? "" : ` (process ${pid})`;
  } catch {
    // Not written yet.
    return "";
  }
}
