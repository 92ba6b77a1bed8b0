import { hash } from "node:crypto";
import { AppError } from "../lib/errors.ts";
import type { Filling, Snapshot } from "./snapshot.ts";
import { columnsOf, nameInDatabase, tableNames, type StoredRow, type TableName } from "./table-names.ts";

/** How many rows a table had when it was copied. */
export type CopiedTable = { table: string; rows: number };

/** `rows` of the rows of all tables; those that are read again count a second time. */
export type OnRows = (rows: number) => Promise<void> | void;

/**
 * Copies every table into an empty database, then reads it all again: the same number of rows in every table, with the same checksum, or
 * UNUSABLE_STORAGE is thrown, and the transaction of `target` comes to nothing.
 */
export async function copyRows(source: Snapshot, target: Filling, onRows: OnRows): Promise<CopiedTable[]> {
  const written = new Map<TableName, TableSum>();
  for (const table of tableNames) {
    const sum = createTableSum(table);
    for await (const rows of source.batches(table)) {
      await target.insert(table, rows);
      sum.add(rows);
      await onRows(rows.length);
    }
    written.set(table, sum);
  }
  for (const [table, expected] of written) {
    const sum = createTableSum(table);
    for await (const rows of target.batches(table)) {
      sum.add(rows);
      await onRows(rows.length);
    }
    if (sum.rows() !== expected.rows() || sum.checksum() !== expected.checksum())
      throw new AppError("UNUSABLE_STORAGE", `The table ${nameInDatabase(table)} did not arrive as it was read.`);
  }
  return [...written].map(([table, sum]) => ({ table: nameInDatabase(table), rows: sum.rows() }));
}

/** How many rows each table of ours has, of those that its schema has already. */
export async function countRows(snapshot: Pick<Snapshot, "dialect" | "query">): Promise<CopiedTable[]> {
  const { dialect, query } = snapshot;
  const present = await query(
    dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  );
  const names = new Set(present.map(({ name }) => name));
  const counts: CopiedTable[] = [];
  for (const table of tableNames.map(nameInDatabase).filter((name) => names.has(name))) {
    const [row] = await query(`SELECT count(*) AS rows FROM "${table}"`);
    counts.push({ table, rows: Number(row?.["rows"]) });
  }
  return counts;
}

type TableSum = ReturnType<typeof createTableSum>;

/** Counts rows, and adds up the SHA-256 of each: the same whatever the order in which a database gives them. */
function createTableSum(table: TableName) {
  const columns = columnsOf(table);
  let rows = 0;
  let sum = 0n;
  return {
    add(batch: StoredRow[]): void {
      rows += batch.length;
      for (const row of batch) {
        const text = JSON.stringify(columns.map(({ key }) => canonical(row[key])));
        sum = BigInt.asUintN(256, sum + BigInt(`0x${hash("sha256", text)}`));
      }
    },
    rows: (): number => rows,
    checksum: (): string => sum.toString(16),
  };
}

/** PostgreSQL keeps the keys of a JSON object in an order of its own. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, canonical(member)]);
}
