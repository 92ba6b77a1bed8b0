import { hash } from "node:crypto";
import { AppError } from "../../lib/errors.ts";
import { feedEpoch } from "../queries/commit-order.ts";
import type { Filling, Snapshot } from "../snapshot.ts";
import { columnsOf, copiedTables, nameInDatabase, tableNames, type StoredRow, type TableName } from "../table-names.ts";

/** The number of rows that were copied from a table. */
export type CopiedTable = { table: string; rows: number };

/** `rows` so far, in all tables. Rows that are read again for the check count twice. */
export type OnRows = (rows: number) => Promise<void> | void;

/**
 * Copies every table into an empty database and verifies the row count and checksum of each. Throws
 * UNUSABLE_STORAGE if they differ, which rolls back the transaction of `target`.
 */
export async function copyRows(source: Snapshot, target: Filling, onRows: OnRows): Promise<CopiedTable[]> {
  const written = new Map<TableName, TableSum>();
  for (const table of copiedTables) {
    const sum = createTableSum(table);
    for await (const all of source.batches(table)) {
      const rows = all.filter((row) => !isOfOneDatabase(table, row));
      if (rows.length > 0) await target.insert(table, rows);
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
      throw new AppError("UNUSABLE_STORAGE", `The table ${nameInDatabase(table)} was not copied correctly.`);
  }
  return [...written].map(([table, sum]) => ({ table: nameInDatabase(table), rows: sum.rows() }));
}

/**
 * Rows of the revocation feed and of changes that nodes read, which are not copied: positions mean
 * nothing in another database.
 * Without the epoch, cursors from before the copy are refused (docs/decisions/0043).
 */
function isOfOneDatabase(table: TableName, row: StoredRow): boolean {
  const isPosition = table === "revocations" || table === "organizationChanges";
  return isPosition || (table === "facts" && row["name"] === feedEpoch);
}

/** The number of rows in each of our tables that the database's schema has. */
export async function countRows(snapshot: Pick<Snapshot, "dialect" | "query">): Promise<CopiedTable[]> {
  const { dialect, query } = snapshot;
  const present = await query(
    dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT tablename AS name FROM pg_tables JOIN pg_class ON oid = format('%I.%I', schemaname, tablename)::regclass WHERE schemaname = current_schema() AND NOT (relpersistence = 'u' AND pg_is_in_recovery())",
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

/** Counts rows and adds up their SHA-256 digests, so the order of the rows does not matter. */
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

/** PostgreSQL reorders the keys of a JSON object. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value instanceof Uint8Array) return hash("sha256", value);
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, member]) => [key, canonical(member)]);
}
