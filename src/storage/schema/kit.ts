import {
  blob,
  customType,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
  type AnySQLiteColumn,
} from "drizzle-orm/sqlite-core";

/** Without the deprecated form of drizzle's `foreignKey`. */
type Reference = { name: string; columns: Columns; foreignColumns: Columns };
type Columns = [AnySQLiteColumn, ...AnySQLiteColumn[]];

const numberOfTransaction = customType<{ data: string }>({ dataType: () => "text" });

/**
 * The column kinds of the schema. Instants are epoch milliseconds in both databases, so that no
 * driver converts them. The SQLite kit defines the type. The PostgreSQL kit (`postgres/kit.ts`,
 * loaded on demand) is cast to it, and a test compares the two.
 */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  foreignKey: (reference: Reference) => foreignKey(reference),
  /** Indexes for SQLite only, for statements that name them (INDEXED BY). */
  onSqlite: <Index>(...indexes: Index[]): Index[] => indexes,
  /** Indexes for PostgreSQL only, where SQLite finds the rows by their own number. */
  onPostgres: <Index>(..._indexes: Index[]): Index[] => [],
  text: (name: string) => text(name),
  integer: (name: string) => integer(name),
  instant: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  json: (name: string) => text(name, { mode: "json" }),
  bytes: (name: string) => blob(name, { mode: "buffer" }),
  /** The primary key of rows that the database numbers; a number is never used again. */
  counter: (name: string) => integer(name).primaryKey({ autoIncrement: true }),
  /**
   * The transaction that wrote the row (`queries/commit-order.ts`): set by PostgreSQL itself, null
   * on SQLite.
   */
  transaction: (name: string) => numberOfTransaction(name),
};

export type Kit = typeof sqliteKit;
