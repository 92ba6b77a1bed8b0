import { and, eq } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Handle } from "../storage.ts";
import type { StoredRow, TableName } from "../table-names.ts";

/**
 * Replaces one column's value, unless it has changed since it was read. `key` is the primary key.
 */
export async function replaceValue(
  { db, tables }: Handle,
  { table: name, key, column }: { table: TableName; key: string[]; column: string },
  row: StoredRow,
  value: string,
): Promise<void> {
  const table = tables[name] as SQLiteTable as SQLiteTable & Record<string, SQLiteColumn>;
  const isRow = [...key, column].map((field) => eq(table[field] as SQLiteColumn, row[field]));
  await db
    .update(table)
    .set({ [column]: value })
    .where(and(...isRow));
}
