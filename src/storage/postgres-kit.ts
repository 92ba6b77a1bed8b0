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
import type { Kit } from "./kit.ts";

/**
 * The same column kinds for PostgreSQL. Apart from the handles, this is the only cast in this
 * folder.
 */
export const postgresKit = {
  table: pgTable,
  index: pgIndex,
  uniqueIndex: pgUniqueIndex,
  primaryKey: pgPrimaryKey,
  onSqlite: () => [],
  text: (name: string) => pgText(name),
  integer: (name: string) => bigint(name, { mode: "number" }),
  instant: (name: string) => bigint(name, { mode: "number" }),
  flag: (name: string) => boolean(name),
  json: (name: string) => jsonb(name),
} as unknown as Kit;
