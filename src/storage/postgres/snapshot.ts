import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { AppError } from "../../lib/errors.ts";
import { appliedMigrations } from "../migrate.ts";
import { liftTimeouts } from "./hosts.ts";
import { createPostgresPool } from "./pool.ts";
import { handleOf, postgresQueries, postgresTables, unreachablePostgres } from "./postgres.ts";
import { batchSize, type Filling, type Shadow, type Snapshot } from "../snapshot.ts";
import { columnsOf, nameInDatabase, tableNames, type StoredRow, type TableName } from "../table-names.ts";

/** Throws UNUSABLE_STORAGE. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const { client, close } = await connect(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await liftTimeouts((sql) => client.query(sql));
    const queries = postgresQueries(client);
    const unreadable = new Set((await queries.query(unreadableTables)).map(({ name }) => name));
    return {
      dialect: "postgres",
      handle: handleOf(client),
      migrations: await appliedMigrations(queries),
      query: (sql) => queries.query(sql),
      batches: (table) => (unreadable.has(nameInDatabase(table)) ? noRows() : batchesOf(client, table)),
      close,
    };
  } catch (error) {
    await close();
    throw error instanceof AppError ? error : unreachablePostgres(error);
  }
}

/** See `openShadow`. Throws UNUSABLE_STORAGE. */
export async function openPostgresShadow(
  url: string,
  { copied, emptied }: { copied: readonly TableName[]; emptied: readonly TableName[] },
): Promise<Shadow> {
  const { client, close } = await connect(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await liftTimeouts((sql) => client.query(sql));
    const names = [...copied, ...emptied].map(nameInDatabase);
    for (const name of names)
      await client.query(`CREATE TEMP TABLE "${name}" (LIKE "${name}" INCLUDING ALL) ON COMMIT DROP`);
    // Temporary tables stay writable.
    await client.query("SET TRANSACTION READ ONLY");
    const { rows } = await client.query<{ schema: string }>("SELECT quote_ident(current_schema()) AS schema");
    for (const name of copied.map(nameInDatabase))
      await client.query(`INSERT INTO pg_temp."${name}" SELECT * FROM ${rows[0]?.schema}."${name}"`);
    return { handle: handleOf(client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Fills a database at the newest schema. `clear` empties every table and locks out others until the
 * end.
 */
export async function fillPostgres<T>(
  url: string,
  work: (filling: Filling & { clear(): Promise<void> }) => Promise<T>,
): Promise<T> {
  const { client, close } = await connect(url);
  try {
    await client.query("BEGIN");
    await liftTimeouts((sql) => client.query(sql));
    const result = await work({
      dialect: "postgres",
      query: (sql) => postgresQueries(client).query(sql),
      batches: (table) => batchesOf(client, table),
      insert: (table, rows) => insertInto(client, table, rows),
      clear: async () =>
        void (await client.query(`TRUNCATE ${tableNames.map((table) => `"${nameInDatabase(table)}"`).join(", ")}`)),
    });
    await client.query("COMMIT");
    return result;
  } finally {
    // Closing the connection rolls back an open transaction.
    await close();
  }
}

/**
 * Whether another authsvc process is connected. A closed connection may need a moment to disappear.
 */
export async function isPostgresInUse(url: string): Promise<boolean> {
  const { client, close } = await connect(url);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'authsvc'",
      );
      if (rows.length === 0) return false;
      if (attempt === maxLooks) return true;
      await sleep(pauseBetweenLooks);
    }
  } finally {
    await close();
  }
}

const maxLooks = 5;
const pauseBetweenLooks = 200;

async function connect(url: string): Promise<{ client: PoolClient; close(): Promise<void> }> {
  const pool: Pool = createPostgresPool(url, 1, () => {});
  try {
    const client = await pool.connect();
    // A connection error already fails the query; without a listener it would also end the
    // process.
    client.on("error", () => {});
    return {
      client,
      async close() {
        client.release(true);
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw unreachablePostgres(error);
  }
}

/** A standby cannot read UNLOGGED tables. */
const unreadableTables =
  "SELECT relname AS name FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relpersistence = 'u' AND pg_is_in_recovery()";

async function* noRows(): AsyncGenerator<StoredRow[]> {}

/** Uses a cursor on the server: the client would otherwise hold a whole table in memory. */
async function* batchesOf(client: PoolClient, table: TableName): AsyncGenerator<StoredRow[]> {
  const columns = columnsOf(table);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  await client.query(`DECLARE all_rows NO SCROLL CURSOR FOR SELECT ${names} FROM "${nameInDatabase(table)}"`);
  try {
    for (;;) {
      const { rows } = await client.query<unknown[]>({
        text: `FETCH ${batchSize(table)} FROM all_rows`,
        rowMode: "array",
      });
      if (rows.length === 0) break;
      yield rows.map((values) =>
        Object.fromEntries(columns.map(({ key }, position) => [key, fromDriver(table, key, values[position] ?? null)])),
      );
    }
  } finally {
    await client.query("CLOSE all_rows").catch(() => {});
  }
}

function fromDriver(table: TableName, key: string, value: unknown): unknown {
  const column = (postgresTables[table] as unknown as Record<string, { mapFromDriverValue(value: unknown): unknown }>)[
    key
  ];
  return value === null || column === undefined ? null : column.mapFromDriverValue(value);
}

/** Sends a batch as one JSON text, which the server parses by the types of the table's columns. */
async function insertInto(client: PoolClient, table: TableName, rows: StoredRow[]): Promise<void> {
  const name = nameInDatabase(table);
  const columns = columnsOf(table);
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  const records = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.name, inJson(row[column.key])])),
  );
  await client.query(
    `INSERT INTO "${name}" (${names}) SELECT ${names} FROM json_populate_recordset(NULL::"${name}", $1)`,
    [JSON.stringify(records)],
  );
}

function inJson(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : (value ?? null);
}
