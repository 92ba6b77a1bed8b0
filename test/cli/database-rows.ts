import { getTableColumns } from "drizzle-orm";
import { fillDatabase, openSnapshot } from "../../src/storage/open-snapshot.ts";
import { sqliteTables } from "../../src/storage/schema.ts";
import type { DatabasePlace } from "../../src/storage/snapshot.ts";
import {
  columnsOf,
  copiedTables,
  nameInDatabase,
  references,
  tableNames,
  type StoredRow,
  type TableName,
} from "../../src/storage/table-names.ts";

/** Once: Drizzle takes 10 ms of the processor to list them. */
const foreignKeys = references();

/** More than one batch of the tables that grow. */
export const manyRows = 1203;

/**
 * Fills every table of a migrated database: values of every kind, awkward ones among them, and
 * nulls where they may be.
 */
export async function fillEveryTable(place: DatabasePlace): Promise<void> {
  await fillDatabase(place, async (filling) => {
    for (const table of copiedTables) {
      const rows = Array.from({ length: table === "users" ? manyRows : 3 }, (_, position) => rowOf(table, position));
      for (let start = 0; start < rows.length; start += 500)
        await filling.insert(table, rows.slice(start, start + 500));
    }
  });
}

function rowOf(table: TableName, position: number): StoredRow {
  const kinds: Record<string, { dataType: string; notNull: boolean }> = getTableColumns(sqliteTables[table]);
  return Object.fromEntries(
    columnsOf(table).map(({ key, name }) => {
      const { dataType = "string", notNull = true } = kinds[key] ?? {};
      if (!notNull && position % 3 === 1) return [key, null];
      const referred = referredIn(nameInDatabase(table), name);
      return [key, referred ? valueOf("string", referred, position % 3) : valueOf(dataType, name, position)];
    }),
  );
}

/** The column that a reference ends at: that of `users.app_id` is the `id` of applications. */
function referredIn(table: string, column: string): string | undefined {
  const reference = foreignKeys.find((each) => each.table === table && each.columns.some(([own]) => own === column));
  const other = reference?.columns.find(([own]) => own === column)?.[1];
  return reference && other !== undefined ? (referredIn(reference.otherTable, other) ?? other) : undefined;
}

function valueOf(dataType: string, column: string, position: number): unknown {
  switch (dataType) {
    case "boolean":
      return position % 2 === 0;
    case "number":
      return 2 ** 41 + position;
    case "json":
      return { z: [position, null, 1.5, "ü"], a: { nested: '"quoted" \\u0041', on: true }, "": "empty key" };
    case "buffer":
      return Buffer.from(`${column} ${position} \0\xff`, "latin1");
    default:
      return `${column} ${position} 'quoted' "twice" \\ % é 日本 👩‍🚀\n`;
  }
}

/** Everything that a database holds, table by table, each in one order. */
export async function everyRow(place: DatabasePlace): Promise<Record<string, string[]>> {
  const snapshot = await openSnapshot(place);
  if (!snapshot) throw new Error("there is no database");
  const found: Record<string, string[]> = {};
  for (const table of tableNames) {
    const rows: string[] = [];
    for await (const batch of snapshot.batches(table)) rows.push(...batch.map(inOneOrder));
    found[table] = rows.toSorted();
  }
  await snapshot.close();
  return found;
}

function inOneOrder(row: StoredRow): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
