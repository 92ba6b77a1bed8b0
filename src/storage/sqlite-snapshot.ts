import Database from "better-sqlite3";
import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../lib/errors.ts";
import { appliedMigrations } from "./migrate.ts";
import { connect, handleOf, openSqliteConnection, sqliteQueries } from "./sqlite.ts";
import { rowsInABatch, type Filling, type Snapshot } from "./snapshot.ts";
import { columnsOf, nameInDatabase, type StoredRow, type TableName } from "./table-names.ts";

/** Also lets its pages be copied: a copy that is made over this connection is of the same moment. */
export type SqliteSnapshot = Snapshot & {
  copyPages(file: string, onPages: (done: number, all: number) => void): Promise<void>;
};

/** How many pages (of 4 KiB) are copied in one turn of the event loop. */
const pagesAtOnce = 1000;

/** Undefined when there is no such file. Throws UNUSABLE_STORAGE for a file that is not a database. */
export async function openSqliteSnapshot(file: string): Promise<SqliteSnapshot | undefined> {
  if (!existsSync(file)) return undefined;
  let connection: Database.Database | undefined;
  try {
    connection = connect(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    connection.exec("BEGIN");
    return await snapshotOver(connection);
  } catch (error) {
    connection?.close();
    if (error instanceof AppError) throw error;
    throw new AppError("UNUSABLE_STORAGE", `The database ${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

async function snapshotOver(connection: Database.Database): Promise<SqliteSnapshot> {
  const queries = sqliteQueries(connection);
  return {
    dialect: "sqlite",
    handle: handleOf(connection),
    // The first read settles the moment that everything after it sees.
    migrations: await appliedMigrations(queries),
    query: (sql) => queries.query(sql),
    batches: (table) => batchesOf(connection, table),
    async copyPages(file, onPages) {
      // Over a connection that stands in a read transaction, a copy neither waits for writers nor starts again because of them.
      const progress = ({ totalPages, remainingPages }: Database.BackupMetadata): number => {
        onPages(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      };
      await connection.backup(file, { progress }).catch((cause: unknown) => {
        // A full disk, for one. What `onPages` throws is the caller's.
        if (!(cause instanceof Database.SqliteError)) throw cause;
        throw new AppError("UNUSABLE_STORAGE", `The database could not be copied: ${cause.message}.`, { cause });
      });
    },
    close: async () => void connection.close(),
  };
}

/** Fills a database at the newest schema. */
export async function fillSqlite<T>(file: string, work: (filling: Filling) => Promise<T>): Promise<T> {
  const connection = openSqliteConnection(file);
  const queries = sqliteQueries(connection);
  const inserts = new Map<TableName, (rows: StoredRow[]) => void>();
  try {
    connection.exec("BEGIN IMMEDIATE");
    const result = await work({
      dialect: "sqlite",
      query: (sql) => queries.query(sql),
      batches: (table) => batchesOf(connection, table),
      async insert(table, rows) {
        const insert = inserts.get(table) ?? insertInto(connection, table);
        inserts.set(table, insert);
        insert(rows);
      },
    });
    connection.exec("COMMIT");
    return result;
  } finally {
    // A transaction that is still open is rolled back with its connection.
    connection.close();
  }
}

async function* batchesOf(connection: Database.Database, table: TableName): AsyncGenerator<StoredRow[]> {
  const columns = columnsOf(table);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  let batch: StoredRow[] = [];
  for (const values of connection
    .prepare<[], unknown[]>(`SELECT ${names} FROM "${nameInDatabase(table)}"`)
    .raw()
    .iterate()) {
    batch.push(
      Object.fromEntries(
        columns.map(({ key, sqlite }, position) => [key, sqlite.fromDriver(values[position] ?? null)]),
      ),
    );
    if (batch.length < rowsInABatch) continue;
    yield batch;
    batch = [];
    // SQLite answers at once: without a turn of its own, nothing else would happen until the end, Ctrl-C included.
    await nextTurn();
  }
  if (batch.length > 0) yield batch;
}

function insertInto(connection: Database.Database, table: TableName): (rows: StoredRow[]) => void {
  const columns = columnsOf(table);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const marks = columns.map(() => "?").join(", ");
  const insert = connection.prepare(`INSERT INTO "${nameInDatabase(table)}" (${names}) VALUES (${marks})`);
  return (rows) => {
    for (const row of rows) insert.run(columns.map(({ key, sqlite }) => sqlite.toDriver(row[key] ?? null)));
  };
}
