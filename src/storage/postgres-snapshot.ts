import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { AppError } from "../lib/errors.ts";
import { appliedMigrations } from "./migrate.ts";
import { createPostgresPool, handleOf, postgresQueries, postgresTables, unreachablePostgres } from "./postgres.ts";
import { rowsInABatch, type Filling, type Snapshot } from "./snapshot.ts";
import { columnsOf, nameInDatabase, tableNames, type StoredRow, type TableName } from "./table-names.ts";

/** Throws UNUSABLE_STORAGE. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const { client, close } = await connect(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // Reading a large table takes as long as it takes.
    await client.query("SET LOCAL statement_timeout = 0");
    const queries = postgresQueries(client);
    return {
      dialect: "postgres",
      handle: handleOf(client),
      migrations: await appliedMigrations(queries),
      query: (sql) => queries.query(sql),
      batches: (table) => batchesOf(client, table),
      close,
    };
  } catch (error) {
    await close();
    throw error instanceof AppError ? error : unreachablePostgres(error);
  }
}

/** Fills a database at the newest schema. `clear` empties every table, and keeps everybody else out until the end. */
export async function fillPostgres<T>(
  url: string,
  work: (filling: Filling & { clear(): Promise<void> }) => Promise<T>,
): Promise<T> {
  const { client, close } = await connect(url);
  try {
    await client.query("BEGIN");
    await client.query("SET LOCAL statement_timeout = 0");
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
    // A transaction that is still open is rolled back with its connection.
    await close();
  }
}

/** Whether another process of ours is connected. A connection that was just closed may need a moment to be gone. */
export async function isPostgresInUse(url: string): Promise<boolean> {
  const { client, close } = await connect(url);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'authsvc'",
      );
      if (rows.length === 0) return false;
      if (attempt === mostLooks) return true;
      await sleep(pauseBetweenLooks);
    }
  } finally {
    await close();
  }
}

const mostLooks = 5;
const pauseBetweenLooks = 200;

async function connect(url: string): Promise<{ client: PoolClient; close(): Promise<void> }> {
  const pool: Pool = createPostgresPool(url, 1, () => {});
  try {
    const client = await pool.connect();
    // A connection that dies in our hands fails the query, and must not also end the process.
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

/** By a cursor of the server: a client would hold a whole table in memory. */
async function* batchesOf(client: PoolClient, table: TableName): AsyncGenerator<StoredRow[]> {
  const columns = columnsOf(table);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  await client.query(`DECLARE all_rows NO SCROLL CURSOR FOR SELECT ${names} FROM "${nameInDatabase(table)}"`);
  try {
    for (;;) {
      const { rows } = await client.query<unknown[]>({ text: `FETCH ${rowsInABatch} FROM all_rows`, rowMode: "array" });
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

/** One JSON text for a batch, which the server takes apart by the types of the table's columns. */
async function insertInto(client: PoolClient, table: TableName, rows: StoredRow[]): Promise<void> {
  const name = nameInDatabase(table);
  const columns = columnsOf(table);
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  const records = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.name, row[column.key] ?? null])),
  );
  await client.query(
    `INSERT INTO "${name}" (${names}) SELECT ${names} FROM json_populate_recordset(NULL::"${name}", $1)`,
    [JSON.stringify(records)],
  );
}
