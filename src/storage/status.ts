import { countRows, type CopiedTable } from "./backup/copy.ts";
import { pendingMigrations, readMigrations, type AppliedMigration } from "./migrate.ts";
import { openSnapshot } from "./open-snapshot.ts";
import type { DatabasePlace, Snapshot } from "./snapshot.ts";
import { bytesOf } from "./sqlite/file-size.ts";
import { columnsOf, nameInDatabase, tableNames } from "./table-names.ts";

/** Facts about a database for operators. Instants in epoch milliseconds. */
export type DatabaseStatus = {
  dialect: Snapshot["dialect"];
  /** The file, or the PostgreSQL database's name. */
  location: string;
  applied: AppliedMigration[];
  pending: string[];
  bytes: number;
  /** SQLite's write-ahead log; null with PostgreSQL. */
  logBytes: number | null;
  tables: CopiedTable[];
  /** The row that has been overdue for sweeping the longest; null if none is. */
  oldestExpired: { table: string; at: number } | null;
};

/**
 * Only reads. If there is no database yet, all migrations are pending. Throws UNUSABLE_STORAGE.
 */
export async function readStatus(place: DatabasePlace, now: number): Promise<DatabaseStatus> {
  const snapshot = await openSnapshot(place);
  if (!snapshot) {
    const pending = pendingMigrations([], readMigrations("sqlite"));
    const nothing = { applied: [], bytes: 0, logBytes: 0, tables: [], oldestExpired: null };
    return { dialect: "sqlite", location: place.file, pending, ...nothing };
  }
  try {
    const { dialect, migrations: applied } = snapshot;
    const pending = pendingMigrations(applied, readMigrations(dialect));
    const tables = await countRows(snapshot);
    const oldestExpired = await findOldestExpired(snapshot, tables, now);
    return { dialect, applied, pending, tables, oldestExpired, ...(await sizeOf(snapshot, place)) };
  } finally {
    await snapshot.close();
  }
}

async function sizeOf(
  { dialect, query }: Snapshot,
  { file }: DatabasePlace,
): Promise<Pick<DatabaseStatus, "location" | "bytes" | "logBytes">> {
  if (dialect === "sqlite") return { location: file, bytes: bytesOf(file), logBytes: bytesOf(`${file}-wal`) };
  const [row] = await query("SELECT current_database() AS name, pg_database_size(current_database()) AS bytes");
  return { location: String(row?.["name"]), bytes: Number(row?.["bytes"]), logBytes: null };
}

/** Rows that expire have `expires_at`. It is null if a person decided so, as for API keys. */
async function findOldestExpired(
  { query }: Snapshot,
  tables: CopiedTable[],
  now: number,
): Promise<{ table: string; at: number } | null> {
  let oldest: { table: string; at: number } | null = null;
  const present = new Set(tables.map(({ table }) => table));
  for (const table of expiringTables().filter((name) => present.has(name))) {
    const [row] = await query(`SELECT min(expires_at) AS at FROM "${table}"`);
    const at = row?.["at"] === null ? Infinity : Number(row?.["at"]);
    if (at < Math.min(now, oldest?.at ?? Infinity)) oldest = { table, at };
  }
  return oldest;
}

function expiringTables(): string[] {
  return tableNames
    .filter((table) => columnsOf(table).some(({ name, notNull }) => name === "expires_at" && notNull))
    .map(nameInDatabase);
}
