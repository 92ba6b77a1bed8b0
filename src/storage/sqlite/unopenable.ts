import { copyFileSync, constants, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const maxCopies = 3;

/**
 * Whether SQLite failed to open a database for reading only because its folder is not writable: WAL
 * mode needs `-shm` beside the database, which a clean stop removes.
 */
export function needsWritableFolder(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(?:CANTOPEN|FULL|IOERR_SHM|READONLY)/u.test(code);
}

/**
 * Copies an unused database and its log into a new private folder in `folder`. Returns the copy and
 * a function that removes it. Undefined if the database changes during that: then it is in use.
 */
export function copyUnopened(file: string, folder: string): { copy: string; remove(): void } | undefined {
  const place = mkdtempSync(join(folder, ".authsvc-read-"));
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  const copy = join(place, basename(file));
  try {
    for (let attempt = 1; attempt <= maxCopies; attempt += 1) {
      const before = stateOf(file);
      for (const suffix of ["", "-wal"]) {
        rmSync(`${copy}${suffix}`, { force: true });
        // Shares the blocks if the file system can.
        if (existsSync(`${file}${suffix}`))
          copyFileSync(`${file}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE);
      }
      if (stateOf(file) === before) return { copy, remove };
    }
  } catch (error) {
    remove();
    throw error;
  }
  remove();
  return undefined;
}

function stateOf(file: string): string {
  return ["", "-wal", "-shm"]
    .map((suffix) => {
      const stat = statSync(`${file}${suffix}`, { bigint: true, throwIfNoEntry: false });
      return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "none";
    })
    .join();
}
