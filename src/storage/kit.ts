import {
  bigint,
  boolean,
  index as pgIndex,
  jsonb,
  pgTable,
  primaryKey as pgPrimaryKey,
  text as pgText,
  uniqueIndex as pgUniqueIndex,
} from "drizzle-orm/pg-core";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/**
 * The column kinds that the schema is written in. Instants are epoch milliseconds in both databases, so that no driver converts them.
 * The SQLite kit is the type; the PostgreSQL kit is cast to it in the one cast of this folder, and `kit.test.ts` keeps the two equal.
 */
export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  text: (name: string) => text(name),
  integer: (name: string) => integer(name),
  instant: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: "boolean" }),
  json: (name: string) => text(name, { mode: "json" }),
};

export type Kit = typeof sqliteKit;

export const postgresKit = {
  table: pgTable,
  index: pgIndex,
  uniqueIndex: pgUniqueIndex,
  primaryKey: pgPrimaryKey,
  text: (name: string) => pgText(name),
  integer: (name: string) => bigint(name, { mode: "number" }),
  instant: (name: string) => bigint(name, { mode: "number" }),
  flag: (name: string) => boolean(name),
  json: (name: string) => jsonb(name),
} as unknown as Kit;
