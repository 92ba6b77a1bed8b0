import Database from "better-sqlite3";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { closeSync, existsSync, fsyncSync, openSync, statSync } from "node:fs";
import { sqliteOrder } from "../queries/commit-order.ts";
import { newestEventTime } from "../queries/database-time.ts";
import { bytesOf } from "./file-size.ts";
import { keepTemporaryFilesBeside } from "./temporary-files.ts";
import { AppError } from "../../lib/errors.ts";
import { foreignOwner, quotedPath } from "../../lib/own-files.ts";
import type { MigrationQueries } from "../migrate.ts";
import { sqliteTables } from "../schema.ts";
import type { Handle, Storage } from "../storage.ts";
import { orAddressTaken } from "../errors/address-taken.ts";
import { orOwnerGone } from "../errors/owner-gone.ts";
import { createWrite } from "../transaction.ts";
import { createWriteQueue } from "./write-queue.ts";

/** Opens every connection of this program. */
export function connect(file: string, options: Database.Options): Database.Database {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new AppError("UNUSABLE_STORAGE", `The database ${file} is a folder, device or pipe, not a regular file.`);
  keepTemporaryFilesBeside(file);
  const connection = new Database(file, options);
  // A foreign schema must not call functions with side effects.
  connection.exec("PRAGMA trusted_schema = OFF");
  return connection;
}

/**
 * Opens one connection whose pragmas guarantee that an acknowledged write survives kill -9 and
 * power loss (docs/spec/decisions.md, 13).
 */
export function openSqliteConnection(file: string): Database.Database {
  try {
    const connection = connect(file, { timeout: 5000 });
    useLog(connection);
    return connection;
  } catch (error) {
    // The driver's own file may be the problem (executable/native-modules.ts), not the database.
    throw error instanceof AppError ? error : unusableSqlite(file, "opened", error);
  }
}

/**
 * SQLite waits for a lock, except when it changes the journal mode: processes that create the same
 * database would fail. So an empty transaction waits, and then another attempt follows.
 */
function useLog(connection: Database.Database): void {
  try {
    set(
      connection,
      "journal_mode = WAL",
      "synchronous = FULL",
      "foreign_keys = ON",
      "secure_delete = ON",
      "journal_size_limit = 67108864",
    );
  } catch (error) {
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    connection.exec("BEGIN EXCLUSIVE; ROLLBACK");
    useLog(connection);
  }
}

/** Sets all pragmas in one call: separate statements take twice as long at each start. */
function set(connection: Database.Database, ...settings: string[]): void {
  connection.exec(settings.map((setting) => `PRAGMA ${setting}`).join(";"));
}

export function unusableSqlite(file: string, what: "opened" | "used", error: unknown): AppError {
  const { code = "", message } = error as { code?: string; message: string };
  const foreign = foreignOwner(file);
  if (foreign !== undefined)
    return new AppError("UNUSABLE_STORAGE", `The database ${file} cannot be ${what}: ${foreign}`, { cause: error });
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/u.test(code);
  const advice = isDamaged ? " Restore a backup: authsvc db restore FILE --yes" : "";
  return new AppError("UNUSABLE_STORAGE", `The database ${file} cannot be ${what}: ${message}.${advice}`, {
    cause: error,
  });
}

/**
 * The largest mapping that SQLite allows (it subtracts 64 KiB). The rest of the file is read by
 * system calls.
 */
const mappedBytes = 2 ** 31;

/**
 * The log's size in 4 KiB pages at which a commit copies it into the database: pages that were
 * written repeatedly are copied once. SQLite's default of 1000 cost refreshes a seventh of their
 * time with a million users (docs/decisions/0026).
 */
const pagesOfTheLog = 4000;

/** Whatever blocks it for longer is retried at the next sweep. */
const maxTruncations = 20;

/**
 * One writer connection with a queue and one reader connection: in WAL mode neither waits for the
 * other.
 */
export function createSqliteStorage(file: string, writer: Database.Database): Storage {
  // Every commit of another connection empties the reader's cache, and the writer's is too small
  // for a million users. Mapped pages stay in the system's cache (docs/decisions/0026).
  const mapped = `mmap_size = ${mappedBytes}`;
  set(
    writer,
    // Another process (a command) may hold the lock. Waiting inside SQLite would block the event
    // loop, so the queue waits instead.
    "busy_timeout = 0",
    // Savepoints copy changed pages: over 64 KiB to a temporary file, which costs two system calls
    // a page and escapes secure_delete (docs/decisions/0026).
    "temp_store = MEMORY",
    `wal_autocheckpoint = ${pagesOfTheLog}`,
    mapped,
  );
  const readingConnection = openSqliteConnection(file);
  set(readingConnection, "query_only = ON", mapped);
  const queue = createWriteQueue(writer, handleOf(writer));
  const write = createWrite(
    async (work) =>
      await queue.write(work).catch((error: unknown) => {
        throw orAddressTaken(orOwnerGone(error));
      }),
  );
  return {
    ...readingPart(file, readingConnection),
    write,
    writeOne: write,
    shareCommitsWhile: queue.shareCommitsWhile,
    forgetDeleted: async () => {
      for (let attempt = 1; attempt <= maxTruncations; attempt += 1) {
        // A new turn: a batch of writes never lasts longer than one, so none is open now.
        await sleep(attempt === 1 ? 0 : 50);
        if (truncateLog(writer)) return;
      }
    },
    load: () => ({ waiting: queue.length() }),
    close: async () => {
      await queue.idle();
      readingConnection.close();
      writer.close();
    },
  };
}

/**
 * One connection that cannot write, for a thread of the process that does. Each of its statements
 * is a transaction of its own, so none holds back the log's copying.
 */
export function createSqliteReading(file: string): Storage {
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  set(connection, `mmap_size = ${mappedBytes}`);
  const refuse = async (): Promise<never> => {
    throw new Error("a thread that only reads cannot write");
  };
  return {
    ...readingPart(file, connection),
    write: refuse,
    writeOne: refuse,
    shareCommitsWhile: () => {},
    forgetDeleted: refuse,
    load: () => ({ waiting: 0 }),
    close: async () => void connection.close(),
  };
}

/** The work of both storages with the reading connection. */
function readingPart(file: string, connection: Database.Database) {
  const reader = handleOf(connection);
  return {
    dialect: "sqlite",
    isShared: false,
    reader,
    olderTransactionsEnd: async () => {},
    // SELECT 1 would never touch the file.
    ping: async () => void connection.prepare("SELECT count(*) FROM applications WHERE id = ''").get(),
    bytes: async () => bytesOf(file) + bytesOf(`${file}-wal`),
    time: async () => await newestEventTime(reader),
  } satisfies Partial<Storage>;
}

/**
 * Moves the log into the database and empties it: secure_delete writes zeros to the log, and until
 * then both files hold the deleted data. False while another process prevents it.
 */
function truncateLog(connection: Database.Database): boolean {
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}

/**
 * Reads a database without creating, changing or waiting for anything. Undefined if the file does
 * not exist.
 */
export function openSqliteReader(file: string): { reader: Handle; close(): Promise<void> } | undefined {
  if (!existsSync(file)) return undefined;
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: 0 });
  return { reader: handleOf(connection), close: async () => void connection.close() };
}

/** Turns an unused database into a single durable file without -wal and -shm. */
export function settleSqliteFile(file: string): void {
  const connection = connect(file, { fileMustExist: true });
  try {
    connection.pragma("journal_mode = DELETE");
  } finally {
    connection.close();
  }
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether any connection, of this process or another one on this machine, has this database open.
 * In WAL mode each holds a shared lock, so the exclusive lock is not available. Allows a moment for
 * connections that are being closed.
 */
export async function isSqliteInUse(file: string): Promise<boolean> {
  for (let attempt = 1; existsSync(file); attempt += 1) {
    if (!isLocked(file)) return false;
    if (attempt === maxLooks) return true;
    await sleep(100);
  }
  return false;
}

const maxLooks = 10;

function isLocked(file: string): boolean {
  const connection = connect(file, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma("locking_mode = EXCLUSIVE");
    connection.exec("BEGIN EXCLUSIVE");
    connection.exec("ROLLBACK");
    return false;
  } catch (error) {
    // Any other error does not mean that it is in use.
    return (error as { code?: string }).code?.startsWith("SQLITE_BUSY") ?? false;
  } finally {
    connection.close();
  }
}

/** Whether this is a database with corrupt pages. */
export function isCorruption(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return (
    (typeof code === "string" && code.startsWith("SQLITE_CORRUPT")) || (cause !== undefined && isCorruption(cause))
  );
}

/** Runs PostgreSQL-style statements (`$1`), for queries that both databases share. */
export function sqliteQueries(connection: Database.Database): MigrationQueries {
  return {
    async query(sql, parameters = []) {
      const statement = connection.prepare(sql.replaceAll(/\$\d/gu, "?"));
      if (statement.reader) return statement.all(...parameters) as Record<string, unknown>[];
      statement.run(...parameters);
      return [];
    },
    hasMigrationsTable: async () =>
      connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").get() !==
      undefined,
    wayBack(appliedAt) {
      const snapshot = snapshotBefore(connection.name, appliedAt);
      const isThere = existsSync(snapshot);
      return `To go back, and lose what changed since, stop the service and run${isThere ? "" : ", with the backup made before the upgrade"}: authsvc db restore ${isThere ? quotedPath(snapshot) : "FILE"} --yes`;
    },
  };
}

/** The file that keeps a database as it was before the migrations of this moment. */
export function snapshotBefore(file: string, appliedAt: number): string {
  return `${file}.before-migration-${appliedAt}`;
}

/**
 * The one cast: drizzle's synchronous database typed as the asynchronous handle of both dialects.
 */
export function handleOf(connection: Database.Database): Handle {
  return {
    db: drizzle(connection) as unknown as Handle["db"],
    tables: sqliteTables,
    commitOrder: sqliteOrder,
    shard: sql`0`,
  };
}
