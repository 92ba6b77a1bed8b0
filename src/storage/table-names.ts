import { getTableColumns, getTableName } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { sqliteTables, type Tables } from "./schema.ts";

export type TableName = keyof Tables;

/** Every table of the schema, ordered so that referenced tables come first. */
export const tableNames: readonly TableName[] = inOrderOfReference();

/** Without what triggers on `users` write in each database (docs/decisions/0079). */
export const copiedTables = tableNames.filter((table) => table !== "userSearch");

/** A row in the program's form, which is the same for both databases. */
export type StoredRow = Record<string, unknown>;

/**
 * A column: `key` in the program, `name` in the database. `sqlite` converts values for SQLite's
 * driver.
 */
export type StoredColumn = {
  key: string;
  name: string;
  notNull: boolean;
  sqlite: { fromDriver(value: unknown): unknown; toDriver(value: unknown): unknown };
};

/** Without PostgreSQL's transactions, which mean nothing in another database. */
export function columnsOf(table: TableName): StoredColumn[] {
  const { writtenIn: _, ...columns } = getTableColumns(sqliteTables[table]) as Record<string, SQLiteColumn>;
  return Object.entries(columns).map(([key, column]) => ({
    key,
    name: column.name,
    notNull: column.notNull,
    sqlite: {
      fromDriver: (value) => (value === null ? null : column.mapFromDriverValue(value)),
      toDriver: (value) => (value === null ? null : column.mapToDriverValue(value)),
    },
  }));
}

export function nameInDatabase(table: TableName): string {
  return getTableName(sqliteTables[table]);
}

/**
 * All foreign keys: the values of `columns` (each with the other table's column) must exist
 * together in one row of `otherTable`. Names as in the database.
 */
export function references(): { table: string; columns: [own: string, other: string][]; otherTable: string }[] {
  return Object.values(sqliteTables).flatMap((table) =>
    getTableConfig(table).foreignKeys.map((key) => {
      const { columns, foreignColumns, foreignTable } = key.reference();
      return {
        table: getTableName(table),
        columns: columns.map(({ name }, index): [string, string] => [name, foreignColumns[index]?.name ?? ""]),
        otherTable: getTableName(foreignTable),
      };
    }),
  );
}

function inOrderOfReference(): TableName[] {
  const keys = Object.keys(sqliteTables) as TableName[];
  const waiting = new Map(keys.map((key) => [key, nameInDatabase(key)]));
  const all = references();
  const ordered: TableName[] = [];
  while (waiting.size > 0) {
    const left = new Set(waiting.values());
    const ready = [...waiting].filter(([, name]) =>
      all.every(({ table, otherTable }) => table !== name || otherTable === name || !left.has(otherTable)),
    );
    if (ready.length === 0) throw new Error("tables refer to each other in a circle");
    for (const [key] of ready) {
      ordered.push(key);
      waiting.delete(key);
    }
  }
  return ordered;
}
