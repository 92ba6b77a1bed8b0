import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The column kinds of the schema. Instants are epoch milliseconds in both databases, so that no
 * driver converts them. The SQLite kit defines the type. The PostgreSQL kit (`postgres-kit.ts`,
 * loaded on demand) is cast to it, and a test compares the two.
 */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  /** Indexes for SQLite only, for statements that name them (INDEXED BY). */
  onSqlite: <Index>(...indexes: Index[]): Index[] => indexes,
  text: (name: string) => text(name),
  integer: (name: string) => integer(name),
  instant: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  json: (name: string) => text(name, { mode: "json" }),
};

export type Kit = typeof sqliteKit;
