import { is, sql, type SQL } from "drizzle-orm";
import { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Of a table or a query. */
export type Column = SQLiteColumn;

/**
 * Orders names alike on both databases: by code points, A to Z like a to z, missing names first.
 * Indexes and queries use the same text (`foldedText` for a value).
 */
export function foldedName(name: SQLiteColumn): SQL<string> {
  const folded = is(name, SQLiteColumn) ? sql`lower(${name})` : sql`lower(${name} COLLATE "C")`;
  // Without a comma, at which drizzle-kit would split it.
  return sql`(CASE WHEN ${name} IS NULL THEN '' ELSE ${folded} END)`;
}

/** The result of `foldedName` for a text. */
export function foldedText(text: string): string {
  return text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

/** An instant that may be missing; a missing one is before all others. */
export function instantOrNever(instant: SQLiteColumn): SQL<number> {
  return sql`(CASE WHEN ${instant} IS NULL THEN 0 ELSE ${instant} END)`;
}
