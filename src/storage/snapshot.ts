import type { AppliedMigration } from "./migrate.ts";
import type { Handle, Storage } from "./storage.ts";
import type { StoredRow, TableName } from "./table-names.ts";

/** A database by where it is: a PostgreSQL URL, else SQLite's file. */
export type DatabasePlace = { url: string | undefined; file: string };

/** Everything that a database holds at one moment, whatever others write meanwhile; changes nothing. One question at a time. */
export type Snapshot = {
  readonly dialect: Storage["dialect"];
  readonly handle: Handle;
  /** What made its schema, in order; empty where there is none yet. */
  readonly migrations: AppliedMigration[];
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** All rows of a table in any order, some hundreds at a time. */
  batches(table: TableName): AsyncIterable<StoredRow[]>;
  close(): Promise<void>;
};

/** A transaction that fills a database. Its `batches` see what it has written. */
export type Filling = Pick<Snapshot, "dialect" | "query" | "batches"> & {
  insert(table: TableName, rows: StoredRow[]): Promise<void>;
};

export const rowsInABatch = 500;

/** Undefined where there is no database yet. Throws UNUSABLE_STORAGE. */
export async function openSnapshot({ url, file }: DatabasePlace): Promise<Snapshot | undefined> {
  if (url === undefined) {
    const { openSqliteSnapshot } = await import("./sqlite-snapshot.ts");
    return await openSqliteSnapshot(file);
  }
  const { openPostgresSnapshot } = await import("./postgres-snapshot.ts");
  return await openPostgresSnapshot(url);
}

/** Runs `work` as one transaction on a database whose schema is there; a throw leaves the database as it was. */
export async function fillDatabase<T>(
  { url, file }: DatabasePlace,
  work: (filling: Filling) => Promise<T>,
): Promise<T> {
  if (url === undefined) {
    const { fillSqlite } = await import("./sqlite-snapshot.ts");
    return await fillSqlite(file, work);
  }
  const { fillPostgres } = await import("./postgres-snapshot.ts");
  return await fillPostgres(url, work);
}

/** Whether another process of ours has this database open: on SQLite of this machine, on PostgreSQL wherever it runs. Throws UNUSABLE_STORAGE. */
export async function isInUse({ url, file }: DatabasePlace): Promise<boolean> {
  if (url === undefined) {
    const { isSqliteInUse } = await import("./sqlite.ts");
    return await isSqliteInUse(file);
  }
  const { isPostgresInUse } = await import("./postgres-snapshot.ts");
  return await isPostgresInUse(url);
}
