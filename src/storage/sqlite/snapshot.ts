import Database from "better-sqlite3";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../lib/errors.ts";
import { foreignOwner } from "../../lib/own-files.ts";
import { appliedMigrations } from "../migrate.ts";
import { connect, handleOf, openSqliteConnection, sqliteQueries, unusableSqlite } from "./sqlite.ts";
import { copyUnopened, needsWritableFolder } from "./unopenable.ts";
import { batchSize, type Filling, type Shadow, type Snapshot } from "../snapshot.ts";
import { columnsOf, nameInDatabase, type StoredRow, type TableName } from "../table-names.ts";

/** Can also copy the database's pages as of the same moment. */
export type SqliteSnapshot = Snapshot & {
  copyPages(file: string, onPages: (done: number, all: number) => void): Promise<void>;
};

/** The number of 4 KiB pages copied per event-loop turn. */
const pagesAtOnce = 1000;

/**
 * Undefined if the file does not exist. Throws UNUSABLE_STORAGE if it is not a database. If the
 * folder of a WAL database cannot be written to (read-only, full), reads a copy in `copyIn`.
 */
export async function openSqliteSnapshot(file: string, copyIn = tmpdir()): Promise<SqliteSnapshot | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return await openInPlace(file).catch(async (error: unknown) => {
      if (needsWritableFolder(error)) return await openCopy(file, copyIn, error);
      throw error;
    });
  } catch (error) {
    if (foreignOwner(file) !== undefined) throw unusableSqlite(file, "opened", error);
    if (error instanceof AppError) throw error;
    throw new AppError("UNUSABLE_STORAGE", `The database ${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

async function openInPlace(file: string): Promise<SqliteSnapshot> {
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    connection.exec("BEGIN");
    return await snapshotOver(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function openCopy(file: string, folder: string, cause: unknown): Promise<SqliteSnapshot> {
  let made: ReturnType<typeof copyUnopened>;
  try {
    made = copyUnopened(file, folder);
  } catch (error) {
    throw new AppError(
      "UNUSABLE_STORAGE",
      `The folder of the database ${file} is not writable, and the database cannot be copied to ${folder} either: ${(error as Error).message}. Set TMPDIR to a folder with free space.`,
      { cause: error },
    );
  }
  if (!made) throw cause;
  try {
    const snapshot = await openInPlace(made.copy);
    // Open files outlive their names: removing the copy now leaves no personal data, however
    // this process ends. Not possible on Windows.
    if (process.platform !== "win32") made.remove();
    return { ...snapshot, close: async () => await snapshot.close().finally(made.remove) };
  } catch (error) {
    made.remove();
    throw error;
  }
}

async function snapshotOver(connection: Database.Database): Promise<SqliteSnapshot> {
  const queries = sqliteQueries(connection);
  return {
    dialect: "sqlite",
    handle: handleOf(connection),
    // The first read fixes the moment that all later reads see.
    migrations: await appliedMigrations(queries),
    query: (sql) => queries.query(sql),
    batches: (table) => batchesOf(connection, table),
    async copyPages(file, onPages) {
      // Copying inside a read transaction neither waits for writers nor restarts because of
      // them.
      const progress = ({ totalPages, remainingPages }: Database.BackupMetadata): number => {
        onPages(totalPages - remainingPages, totalPages);
        return pagesAtOnce;
      };
      await connection.backup(file, { progress }).catch((cause: unknown) => {
        // A full disk, for example. Errors of `onPages` belong to the caller.
        if (!(cause instanceof Database.SqliteError)) throw cause;
        throw new AppError("UNUSABLE_STORAGE", `The database could not be copied: ${cause.message}.`, { cause });
      });
    },
    close: async () => void connection.close(),
  };
}

/** See `openShadow`. */
export function openSqliteShadow(
  file: string,
  { copied, emptied }: { copied: readonly TableName[]; emptied: readonly TableName[] },
): Shadow | undefined {
  if (!existsSync(file)) return undefined;
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    // As in PostgreSQL, temporary tables refer to nothing: the tables around them are no copies.
    connection.exec("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF; BEGIN");
    const statements = connection.prepare<[string], { sql: string }>(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC",
    );
    for (const table of [...copied, ...emptied]) {
      const name = nameInDatabase(table);
      for (const { sql } of statements.all(name))
        connection.exec(
          sql.replace(/^CREATE TABLE /u, "CREATE TEMP TABLE ").replace(/^(CREATE (?:UNIQUE )?INDEX )/u, "$1temp."),
        );
      if (copied.includes(table)) connection.exec(`INSERT INTO temp."${name}" SELECT * FROM main."${name}"`);
    }
    return { handle: handleOf(connection), close: async () => void connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
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
    // Closing the connection rolls back an open transaction.
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
    if (batch.length < batchSize(table)) continue;
    yield batch;
    batch = [];
    // SQLite calls are synchronous. Without a turn in between, nothing else (such as Ctrl-C)
    // would be handled until the end.
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
