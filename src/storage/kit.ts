import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The column kinds that the schema is written in. Instants are epoch milliseconds in both databases, so that no driver converts them.
 * The SQLite kit is the type; the PostgreSQL kit (`postgres-kit.ts`, loaded only where it is used) is cast to it, and a test keeps the two equal.
 */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  /** Indexes of SQLite alone, for statements that name them (INDEXED BY). */
  onSqlite: <Index>(...indexes: Index[]): Index[] => indexes,
  text: (name: string) => text(name),
  integer: (name: string) => integer(name),
  instant: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  json: (name: string) => text(name, { mode: "json" }),
};

export type Kit = typeof sqliteKit;
