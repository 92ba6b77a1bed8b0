import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inOwnProcess } from "../support/own-process.ts";

const sqlite = join(import.meta.dirname, "../../src/storage/sqlite/sqlite.ts");

it("what SQLite sorts and cannot keep in memory goes to files beside the database", () => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-temporary-"));
  const folders = inOwnProcess(`
    import { readdirSync, readlinkSync } from "node:fs";
    import { dirname } from "node:path";
    const { openSqliteConnection } = await import(${JSON.stringify(sqlite)});
    // As the system names them: what was never linked, or no longer is, is "(deleted)".
    const openFilesWithoutName = () => readdirSync("/proc/self/fd").flatMap((descriptor) => {
      try {
        return [readlinkSync("/proc/self/fd/" + descriptor)].filter((file) => file.endsWith(" (deleted)"));
      } catch {
        // The one by which they are listed.
        return [];
      }
    });
    const connection = openSqliteConnection(${JSON.stringify(join(folder, "authsvc.db"))});
    const before = openFilesWithoutName();
    const sorted = connection.prepare(\`
      WITH RECURSIVE series(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM series WHERE n < 400000)
      SELECT hex(randomblob(50)) AS text FROM series ORDER BY text\`);
    // At the first row all of them are sorted, and the statement is not over.
    for (const _ of sorted.iterate()) {
      const opened = openFilesWithoutName().filter((file) => !before.includes(file));
      console.log(JSON.stringify(opened.map((file) => dirname(file))));
      break;
    }
    connection.close();`);
  expect(folders).toEqual([folder]);
});
