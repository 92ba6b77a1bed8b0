import type { AppliedMigration } from "./migrate.ts";
import type { Handle, Storage } from "./storage.ts";
import type { StoredRow, TableName } from "./table-names.ts";

/** Locates a database: a PostgreSQL URL, or else an SQLite file. */
export type DatabasePlace = { url: string | undefined; file: string };

/**
 * A read-only view of the database at one moment, unaffected by later writes. One query at a time.
 */
export type Snapshot = {
  readonly dialect: Storage["dialect"];
  readonly handle: Handle;
  /** The applied migrations in order; empty without a schema. */
  readonly migrations: AppliedMigration[];
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** All rows of a table in any order, in batches of some hundreds. */
  batches(table: TableName): AsyncIterable<StoredRow[]>;
  close(): Promise<void>;
};

/** A transaction that fills a database. `batches` sees its own writes. */
export type Filling = Pick<Snapshot, "dialect" | "query" | "batches"> & {
  insert(table: TableName, rows: StoredRow[]): Promise<void>;
};

const rowsInABatch = 500;

/** Fewer of the one table whose rows have up to half a megabyte. */
export function batchSize(table: TableName): number {
  return table === "pictures" ? 20 : rowsInABatch;
}

/** A snapshot with private writable copies of some tables. */
export type Shadow = { readonly handle: Handle; close(): Promise<void> };
