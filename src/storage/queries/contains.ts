import { is, sql, type SQL } from "drizzle-orm";
import { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** Whether a column has this text somewhere, letter by letter: no character is a wildcard. */
export function contains(column: SQLiteColumn, text: string): SQL {
  return is(column, SQLiteColumn)
    ? sql`instr(${column}, ${text}) > 0`
    : sql`strpos(${column} COLLATE "C", ${text}) > 0`;
}
