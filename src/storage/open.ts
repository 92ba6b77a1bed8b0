import type { Database } from "better-sqlite3";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../lib/errors.ts";
import { migrate, readMigrations, type MigrationTarget } from "./migrate.ts";
import {
  createSqliteStorage,
  openSqliteConnection,
  openSqliteReader,
  sqliteQueries,
  unusableSqlite,
} from "./sqlite.ts";
import type { Handle, Storage } from "./storage.ts";

/** Opens the database that the configuration names, at the newest schema. Throws UNUSABLE_STORAGE with a sentence for the operator. */
export async function openStorage(
  database: { url: string | undefined; poolSize: number; file: string },
  now: number,
  onIdleError: (error: Error) => void,
): Promise<Storage> {
  return database.url === undefined
    ? await openSqlite(database.file, now)
    : await openPostgres(database.url, database.poolSize, now, onIdleError);
}

/** Reads what is there, without migrating it; undefined where there is no database yet. */
export async function openReader(database: {
  url: string | undefined;
  file: string;
}): Promise<{ reader: Handle; close(): Promise<void> } | undefined> {
  if (database.url === undefined) return openSqliteReader(database.file);
  const { createPostgresPool, createPostgresStorage } = await import("./postgres.ts");
  return createPostgresStorage(createPostgresPool(database.url, 1, () => {}));
}

async function openSqlite(file: string, now: number): Promise<Storage> {
  createPrivately(file);
  const connection = openSqliteConnection(file);
  try {
    await migrate(sqliteTarget(connection, `${file}.before-migration-${now}`), readMigrations("sqlite"), now);
    return createSqliteStorage(file, connection);
  } catch (error) {
    connection.close();
    throw error instanceof AppError ? error : unusableSqlite(file, "used", error);
  }
}

/** The database holds people's addresses: readable by its owner only, from its first byte on (SQLite gives -wal and -shm the same mode). */
function createPrivately(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw new AppError(
      "UNUSABLE_STORAGE",
      `The data folder ${dirname(file)} is not writable: ${(error as Error).message}. Give it to this user, or name another: --data`,
      { cause: error },
    );
  }
}

function sqliteTarget(connection: Database, snapshotFile: string): MigrationTarget {
  return {
    ...sqliteQueries(connection),
    async exclusively(work) {
      connection.exec("BEGIN EXCLUSIVE");
      try {
        const result = await work();
        connection.exec("COMMIT");
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    },
    snapshot: async () => {
      closeSync(openSync(snapshotFile, "wx", 0o600));
      await connection.backup(snapshotFile);
    },
  };
}

async function openPostgres(
  url: string,
  poolSize: number,
  now: number,
  onIdleError: (error: Error) => void,
): Promise<Storage> {
  // Loaded only where it is used: drizzle's PostgreSQL half takes a quarter of a second.
  const { createPostgresPool, createPostgresStorage, unreachablePostgres } = await import("./postgres.ts");
  const { migratePostgres } = await import("./postgres-migrate.ts");
  const pool = createPostgresPool(url, poolSize, onIdleError);
  try {
    await migratePostgres(pool, now);
  } catch (error) {
    await pool.end();
    throw error instanceof AppError ? error : unreachablePostgres(error);
  }
  return createPostgresStorage(pool);
}
