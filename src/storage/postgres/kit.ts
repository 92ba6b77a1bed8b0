import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  foreignKey as pgForeignKey,
  index as pgIndex,
  jsonb,
  pgTable,
  primaryKey as pgPrimaryKey,
  text as pgText,
  uniqueIndex as pgUniqueIndex,
} from "drizzle-orm/pg-core";
import type { Kit } from "../schema/kit.ts";

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const numberOfTransaction = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * The same column kinds for PostgreSQL. Apart from the handles, this is the only cast in
 * `storage/`.
 */
export const postgresKit = {
  table: pgTable,
  index: pgIndex,
  uniqueIndex: pgUniqueIndex,
  primaryKey: pgPrimaryKey,
  foreignKey: pgForeignKey,
  onSqlite: () => [],
  onPostgres: (...indexes: unknown[]) => indexes,
  text: (name: string) => pgText(name),
  integer: (name: string) => bigint(name, { mode: "number" }),
  instant: (name: string) => bigint(name, { mode: "number" }),
  flag: (name: string) => boolean(name),
  json: (name: string) => jsonb(name),
  bytes: (name: string) => bytes(name),
  counter: (name: string) => bigint(name, { mode: "number" }).primaryKey().generatedByDefaultAsIdentity(),
  transaction: (name: string) => numberOfTransaction(name).default(sql`pg_current_xact_id()`),
} as unknown as Kit;
