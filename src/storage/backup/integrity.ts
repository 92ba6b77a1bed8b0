import type { Snapshot } from "../snapshot.ts";
import { isCorruption } from "../sqlite/sqlite.ts";
import { columnsOf, copiedTables, nameInDatabase, references } from "../table-names.ts";

const maxNamed = 20;

/** Finds damage, one sentence each: corrupt pages and indexes, references to missing rows. */
export async function findDamage(snapshot: Snapshot): Promise<string[]> {
  if (snapshot.dialect === "postgres") return [...(await brokenIndexes(snapshot)), ...(await orphans(snapshot))];
  const broken = await brokenPages(snapshot);
  // A database with corrupt pages cannot be checked further.
  return broken.length > 0 ? broken : await brokenReferences(snapshot);
}

async function brokenPages({ query }: Snapshot): Promise<string[]> {
  const rows = await query(`PRAGMA integrity_check(${maxNamed})`).catch((error: unknown) => {
    if (isCorruption(error)) return [{ integrity_check: "its pages are inconsistent" }];
    throw error;
  });
  return rows
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok")
    .map((line) => line.replace(/\s+/gu, " "));
}

/** Uses SQLite's list of references, which also fits schemas older than ours. */
async function brokenReferences({ query }: Snapshot): Promise<string[]> {
  const rows = await query(
    'SELECT "table" AS child, parent, count(*) AS rows FROM pragma_foreign_key_check() GROUP BY "table", parent',
  );
  return rows.map((row) => dangling(Number(row["rows"]), String(row["child"]), String(row["parent"])));
}

async function brokenIndexes({ query }: Snapshot): Promise<string[]> {
  const indexes = await query(
    "SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND NOT i.indisvalid",
  );
  const constraints = await query(
    "SELECT conname AS name FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = current_schema() AND NOT c.convalidated",
  );
  return [
    ...indexes.map((row) => `the index ${String(row["name"])} is not valid`),
    ...constraints.map((row) => `the constraint ${String(row["name"])} was never validated`),
  ];
}

async function orphans({ query }: Snapshot): Promise<string[]> {
  const problems: string[] = [];
  for (const { table, columns, otherTable } of references()) {
    const isSet = columns.map(([own]) => `a."${own}" IS NOT NULL`).join(" AND ");
    const isThere = columns.map(([own, other]) => `b."${other}" = a."${own}"`).join(" AND ");
    const [row] = await query(
      `SELECT count(*) AS rows FROM "${table}" a WHERE ${isSet} AND NOT EXISTS (SELECT 1 FROM "${otherTable}" b WHERE ${isThere})`,
    );
    const rows = Number(row?.["rows"]);
    if (rows > 0) problems.push(dangling(rows, table, otherTable));
  }
  return problems;
}

function dangling(rows: number, table: string, otherTable: string): string {
  return rows === 1
    ? `1 row of ${table} refers to a missing row of ${otherTable}`
    : `${rows} rows of ${table} refer to missing rows of ${otherTable}`;
}

/** Rows with a past event dated after `latest` (epoch milliseconds), one sentence per table. */
export async function findRowsAfter({ query }: Snapshot, latest: number): Promise<string[]> {
  const problems: string[] = [];
  for (const table of copiedTables) {
    const columns = columnsOf(table)
      .map(({ name }) => name)
      .filter(isOfThePast);
    if (columns.length === 0) continue;
    const name = nameInDatabase(table);
    const later = columns.map((column) => `"${column}" > ${latest}`).join(" OR ");
    const [row] = await query(`SELECT count(*) AS rows FROM "${name}" WHERE ${later}`);
    const rows = Number(row?.["rows"]);
    if (rows > 0) problems.push(`${rows} ${rows === 1 ? "row" : "rows"} of ${name} with a timestamp in the future`);
  }
  return problems;
}

/**
 * Whether a column holds the instant of a past event, as opposed to a limit such as `expires_at`.
 */
function isOfThePast(column: string): boolean {
  return /(?:^|_)at$/u.test(column) && !/(?:expires|next_attempt|next_check|ends|deletes|works)_at$/u.test(column);
}
