import type { Database } from "better-sqlite3";
import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { createPrivateFile, replaceDurably } from "../lib/durable-files.ts";
import { AppError } from "../lib/errors.ts";
import { foreignOwner, repairOf } from "../lib/own-files.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import { systemRandom, type Random } from "../lib/random.ts";
import { underLock } from "./locks/file-lock.ts";
import { lockOf, removeAbandoned } from "./locks/half-made.ts";
import { appliedMigrations, migrate, pendingMigrations, readMigrations, type MigrationTarget } from "./migrate.ts";
import {
  createSqliteReading,
  createSqliteStorage,
  openSqliteConnection,
  openSqliteReader,
  settleSqliteFile,
  snapshotBefore,
  sqliteQueries,
  unusableSqlite,
} from "./sqlite/sqlite.ts";
import type { Handle, Storage } from "./storage.ts";

/**
 * Opens the configured database and migrates it to the newest schema. Throws UNUSABLE_STORAGE with
 * a sentence for the operator.
 */
export async function openStorage(
  database: { url: string | undefined; poolSize: number; file: string },
  now: number,
  onIdleError: (error: Error) => void,
  random: Random = systemRandom,
): Promise<Storage> {
  return database.url === undefined
    ? await openSqlite(database.file, now)
    : await openPostgres({ ...database, url: database.url }, now, onIdleError, random);
}

/** Opens a database for reading, without migrating it; undefined if there is no database yet. */
export async function openReader(database: {
  url: string | undefined;
  file: string;
}): Promise<{ reader: Handle; close(): Promise<void> } | undefined> {
  if (database.url === undefined) return openSqliteReader(database.file);
  const { createPostgresPool } = await import("./postgres/pool.ts");
  const { createPostgresStorage } = await import("./postgres/postgres.ts");
  return createPostgresStorage(createPostgresPool(database.url, 1, () => {}));
}

/** Opens SQLite's file for a thread of a process that writes it. */
export function openReadingStorage(file: string): Storage {
  return createSqliteReading(file);
}

async function openSqlite(file: string, now: number): Promise<Storage> {
  removeAbandoned(file);
  createPrivately(file);
  const connection = openSqliteConnection(file);
  try {
    const migrated = await migrateSqlite(file, connection, now);
    return { ...createSqliteStorage(file, connection), migrated };
  } catch (error) {
    connection.close();
    throw error instanceof AppError ? error : unusableSqlite(file, "used", error);
  }
}

/**
 * The database contains personal data: only its owner can read it, from its first byte on. SQLite
 * gives -wal and -shm the same mode.
 */
function createPrivately(file: string): void {
  makePrivateFolder(dirname(file));
  try {
    if (!existsSync(file)) createPrivateFile(file);
  } catch (error) {
    // Another process was first, or a symbolic link has no target yet.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return closeSync(openSync(file, "a", 0o600));
    throw new AppError(
      "UNUSABLE_STORAGE",
      `The data folder ${dirname(file)} is not writable: ${foreignOwner(file) ?? (error as Error).message}. Make it writable for this user, or choose another folder with --data`,
      { cause: error },
    );
  }
}

/**
 * Refuses a database that other users can change, since they could take over the service. Throws
 * INVALID_CONFIG.
 */
export function refuseForeignWriters(file: string): void {
  for (const path of [dirname(file), file, `${file}-wal`]) {
    const repair = repairOf(path);
    if (repair === undefined) continue;
    const what = path === file ? "The database" : path === dirname(file) ? "The data folder" : "The database's log";
    throw new AppError("INVALID_CONFIG", `${what} ${path} can be changed by other users of this machine: ${repair}`);
  }
}

/**
 * One process at a time: with two, the second could take its snapshot in the middle of a migration.
 */
async function migrateSqlite(file: string, connection: Database, now: number): Promise<string[]> {
  const target = sqliteTarget(connection, snapshotBefore(file, now));
  const migrations = readMigrations("sqlite");
  if (pendingMigrations(await appliedMigrations(target), migrations).length === 0) return [];
  return await underLock(lockOf(file), async () => await migrate(target, migrations, now));
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
      const partial = `${snapshotFile}.partial`;
      createPrivateFile(partial);
      await connection.backup(partial);
      settleSqliteFile(partial);
      replaceDurably(partial, snapshotFile);
    },
  };
}

async function openPostgres(
  { url, poolSize }: { url: string; poolSize: number },
  now: number,
  onIdleError: (error: Error) => void,
  random: Random,
): Promise<Storage> {
  // Loaded on demand: drizzle's PostgreSQL half takes a quarter of a second.
  const { createPostgresPool } = await import("./postgres/pool.ts");
  const { createPostgresStorage, unreachablePostgres } = await import("./postgres/postgres.ts");
  const { migratePostgres } = await import("./postgres/migrate.ts");
  const { refuseTransactionPooling } = await import("./postgres/pooler.ts");
  const pool = createPostgresPool(url, poolSize, onIdleError);
  try {
    await refuseTransactionPooling(pool, url);
    const migrated = await migratePostgres(pool, now);
    return { ...createPostgresStorage(pool, random), migrated };
  } catch (error) {
    await pool.end();
    throw error instanceof AppError ? error : unreachablePostgres(error);
  }
}
