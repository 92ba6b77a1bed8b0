import Database from "better-sqlite3";
import { migrate, readMigrations } from "../migrate.ts";
import type { Snapshot } from "../snapshot.ts";
import { sqliteQueries } from "../sqlite/sqlite.ts";
import { nameInDatabase, tableNames } from "../table-names.ts";

/** Foreign but harmless: SQLite's statistics and Litestream's tables. */
const tolerated = new Map([
  ["table sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"],
  ["table sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"],
  ["table _litestream_seq", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"],
  ["table _litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"],
]);

/**
 * Differences from the schema of our migrations, one sentence each: a foreign trigger or view could
 * run in our transactions. On PostgreSQL, which may hold other data, only triggers and rules on our
 * tables count.
 */
export async function findForeignSchema(snapshot: Snapshot): Promise<string[]> {
  if (snapshot.dialect === "postgres") return await foreignToPostgres(snapshot);
  const present = await objectsOf(snapshot);
  const own = await ownObjects(snapshot.migrations.map(({ name }) => name));
  const foreign = [...present].filter(([name]) => !own.has(name) && !isTolerated(name, present.get(name)));
  const changed = [...own].filter(([name, sql]) => present.has(name) && present.get(name) !== sql);
  const missing = [...own].filter(([name]) => !present.has(name));
  return [
    ...foreign.map(([name]) => `the ${name} does not belong to authsvc`),
    ...changed.map(([name]) => `the ${name} differs from what authsvc created`),
    ...missing.map(([name]) => `the ${name} is missing`),
  ];
}

function isTolerated(name: string, sql: string | undefined): boolean {
  const tolerable = tolerated.get(name);
  return tolerable !== undefined && sql === comparable(tolerable);
}

/** Every object by type and name, with its CREATE statement. */
async function objectsOf({ query }: Pick<Snapshot, "query">): Promise<Map<string, string>> {
  const rows = await query("SELECT type, name, tbl_name, sql FROM sqlite_schema");
  return new Map(
    rows.map(({ type, name, tbl_name: table, sql }) => [
      `${String(type)} ${String(name)}`,
      // A key's index has no CREATE statement, only a table.
      comparable(typeof sql === "string" ? sql : `ON ${String(table)}`),
    ]),
  );
}

/** SQLite versions quote and space altered statements differently. */
function comparable(sql: string): string {
  return sql.replaceAll(/["`[\]]/gu, "").replaceAll(/\s+/gu, " ");
}

async function ownObjects(names: string[]): Promise<Map<string, string>> {
  const connection = new Database(":memory:");
  try {
    const queries = sqliteQueries(connection);
    const applied = readMigrations("sqlite").filter(({ name }) => names.includes(name));
    await migrate({ ...queries, exclusively: async (work) => work(), snapshot: async () => {} }, applied, 0);
    return await objectsOf({ query: (sql) => queries.query(sql) });
  } finally {
    connection.close();
  }
}

async function foreignToPostgres({ query }: Snapshot): Promise<string[]> {
  const tables = [...tableNames.map(nameInDatabase), "migrations"].map((name) => `'${name}'`).join(", ");
  const ofOurTables = `c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relname IN (${tables})`;
  const rows = await query(
    `SELECT 'trigger' AS type, t.tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND ${ofOurTables}
     UNION ALL SELECT 'rule', r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE ${ofOurTables}`,
  );
  const own = readMigrations("postgres").flatMap(({ sql }) =>
    [...sql.matchAll(/CREATE TRIGGER "(\w+)"/gu)].map(([, name]) => `trigger ${name}`),
  );
  return rows
    .map(({ type, name }) => `${String(type)} ${String(name)}`)
    .filter((name) => !own.includes(name))
    .map((name) => `the ${name} does not belong to authsvc`);
}
