import type { Snapshot } from "./snapshot.ts";
import { isCorruption } from "./sqlite.ts";
import { columnsOf, nameInDatabase, references, tableNames } from "./table-names.ts";

const mostNamed = 20;

/** What is wrong with a database as a database, a sentence each: broken pages and indexes, references to rows that are not there. */
export async function findDamage(snapshot: Snapshot): Promise<string[]> {
  if (snapshot.dialect === "postgres") return [...(await brokenIndexes(snapshot)), ...(await orphans(snapshot))];
  const broken = await brokenPages(snapshot);
  // A database whose pages are broken cannot be asked for more.
  return broken.length > 0 ? broken : await brokenReferences(snapshot);
}

async function brokenPages({ query }: Snapshot): Promise<string[]> {
  const rows = await query(`PRAGMA integrity_check(${mostNamed})`).catch((error: unknown) => {
    if (isCorruption(error)) return [{ integrity_check: "its pages do not fit together" }];
    throw error;
  });
  return rows
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok")
    .map((line) => line.replace(/\s+/gu, " "));
}

/** As SQLite knows them: also those of a schema that is older than ours. */
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
  const found: string[] = [];
  for (const { table, column, otherTable, otherColumn } of references()) {
    const [row] = await query(
      `SELECT count(*) AS rows FROM "${table}" a WHERE a."${column}" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "${otherTable}" b WHERE b."${otherColumn}" = a."${column}")`,
    );
    const rows = Number(row?.["rows"]);
    if (rows > 0) found.push(dangling(rows, table, otherTable));
  }
  return found;
}

function dangling(rows: number, table: string, otherTable: string): string {
  return rows === 1
    ? `1 row of ${table} belongs to a row of ${otherTable} that is not there`
    : `${rows} rows of ${table} belong to rows of ${otherTable} that are not there`;
}

/** Rows that say of something that it happened after `latest` (epoch milliseconds), a sentence a table. */
export async function findRowsAfter({ query }: Snapshot, latest: number): Promise<string[]> {
  const found: string[] = [];
  for (const table of tableNames) {
    const columns = columnsOf(table)
      .map(({ name }) => name)
      .filter(isOfThePast);
    if (columns.length === 0) continue;
    const name = nameInDatabase(table);
    const later = columns.map((column) => `"${column}" > ${latest}`).join(" OR ");
    const [row] = await query(`SELECT count(*) AS rows FROM "${name}" WHERE ${later}`);
    const rows = Number(row?.["rows"]);
    if (rows > 0) found.push(`${rows} ${rows === 1 ? "row" : "rows"} of ${name} from the future`);
  }
  return found;
}

/** Columns with the instant of something that has happened, as opposed to a limit such as `expires_at`. */
function isOfThePast(column: string): boolean {
  return /(?:^|_)at$/u.test(column) && !/(?:expires|next_attempt|ends)_at$/u.test(column);
}
