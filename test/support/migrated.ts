import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../../src/storage/open.ts";
import { settleSqliteFile } from "../../src/storage/sqlite/sqlite.ts";
import { createTestDatabase } from "./postgres.ts";

let sqlite: Promise<Buffer> | undefined;

/** Puts a database at the newest schema into a folder: copied, because migrating takes longer. */
export async function copyMigrated(dataDir: string): Promise<void> {
  sqlite ??= migrateFile();
  writeFileSync(join(dataDir, "authsvc.db"), await sqlite, { mode: 0o600 });
}

async function migrateFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-migrated-"));
  const file = join(folder, "authsvc.db");
  try {
    await migrateAt({ url: undefined, file });
    settleSqliteFile(file);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same on PostgreSQL: the URL of a new database. */
export async function createMigratedDatabase(): Promise<string> {
  return await createTestDatabase({ name: "migrated", fill: async (url) => await migrateAt({ url, file: "" }) });
}

async function migrateAt(place: { url: string | undefined; file: string }): Promise<void> {
  const storage = await openStorage({ ...place, poolSize: 1 }, Date.now(), () => {});
  await storage.close();
}
