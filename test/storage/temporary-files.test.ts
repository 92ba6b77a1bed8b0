import { mkdtempSync, readdirSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteConnection } from "../../src/storage/sqlite.ts";

/** Of this process, as the system names them: what was never linked, or is not any more, is `(deleted)`. */
function openFilesWithoutName(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)].filter((file) => file.endsWith(" (deleted)"));
    } catch {
      // The one by which they are listed.
      return [];
    }
  });
}

it("what SQLite sorts and cannot keep in memory goes to files beside the database", () => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-temporary-"));
  const connection = openSqliteConnection(join(folder, "authsvc.db"));
  try {
    const before = openFilesWithoutName();
    const sorted = connection.prepare(`
      WITH RECURSIVE series(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM series WHERE n < 400000)
      SELECT hex(randomblob(50)) AS text FROM series ORDER BY text`);
    // At the first row all of them are sorted, and the statement is not over.
    for (const _ of sorted.iterate()) {
      const opened = openFilesWithoutName().filter((file) => !before.includes(file));
      expect(opened.map((file) => dirname(file))).toEqual([folder]);
      break;
    }
  } finally {
    connection.close();
  }
});
