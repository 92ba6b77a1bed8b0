import Database from "better-sqlite3";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { keepTemporaryFilesBeside } from "../config/temporary-files.ts";
import { AppError } from "../lib/errors.ts";
import type { MigrationQueries } from "./migrate.ts";
import { sqliteTables } from "./schema.ts";
import type { Handle, Storage } from "./storage.ts";
import { createWriteQueue } from "./write-queue.ts";

/** Every connection of this program. */
export function connect(file: string, options: Database.Options): Database.Database {
  keepTemporaryFilesBeside(file);
  return new Database(file, options);
}

/** Opens one connection. The pragmas are what decision 13 promises: an acknowledged write survives kill -9 and power loss. */
export function openSqliteConnection(file: string): Database.Database {
  try {
    const connection = connect(file, { timeout: 5000 });
    set(
      connection,
      "journal_mode = WAL",
      "synchronous = FULL",
      "foreign_keys = ON",
      "secure_delete = ON",
      "journal_size_limit = 67108864",
    );
    return connection;
  } catch (error) {
    // What is wrong may be the driver's own file (executable/native-modules.ts), and not the database.
    throw error instanceof AppError ? error : unusableSqlite(file, "opened", error);
  }
}

/** In one go: a statement for each takes twice as long, at each start. */
function set(connection: Database.Database, ...settings: string[]): void {
  connection.exec(settings.map((setting) => `PRAGMA ${setting}`).join(";"));
}

export function unusableSqlite(file: string, what: "opened" | "used", error: unknown): AppError {
  const { code = "", message } = error as { code?: string; message: string };
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/u.test(code);
  const advice = isDamaged ? " Restore a backup: authsvc db restore FILE --yes" : "";
  return new AppError("UNUSABLE_STORAGE", `The database ${file} cannot be ${what}: ${message}.${advice}`, {
    cause: error,
  });
}

/** Of the start of the database's file, as much as SQLite allows: it takes 64 KiB less. What lies behind is read call by call. */
const mappedBytes = 2 ** 31;

/**
 * How many pages (of 4 KiB) the log holds before a commit copies them into the database and flushes it: what was written to several times is copied
 * once. SQLite's own number is 1000, with which that took a seventh of the time of refreshes among a million users (0026).
 */
const pagesOfTheLog = 4000;

/** What is in the way for longer than this is met again at the next sweep. */
const mostTruncations = 20;

/** One writer connection behind a queue, one reader connection: with WAL neither waits for the other. */
export function createSqliteStorage(file: string, writer: Database.Database): Storage {
  // Every commit empties the reader's cache, because another connection made it, and the pages of a million users fit into none of the writer's;
  // what is mapped stays with the operating system (0026).
  const mapped = `mmap_size = ${mappedBytes}`;
  set(
    writer,
    // Another process (a command) may hold the lock: waiting inside SQLite would stop the event loop, so the queue waits outside it.
    "busy_timeout = 0",
    // A savepoint copies the pages that change under it: from 64 KiB on into a temporary file otherwise, out of reach of secure_delete, at two
    // system calls a page (0026).
    "temp_store = MEMORY",
    `wal_autocheckpoint = ${pagesOfTheLog}`,
    mapped,
  );
  const reader = openSqliteConnection(file);
  set(reader, "query_only = ON", mapped);
  const queue = createWriteQueue(writer, handleOf(writer));
  return {
    dialect: "sqlite",
    reader: handleOf(reader),
    write: queue.write,
    shareCommitsWhile: queue.shareCommitsWhile,
    forgetDeleted: async () => {
      for (let attempt = 1; attempt <= mostTruncations; attempt += 1) {
        // A turn of its own: a batch of writes never lasts longer than one, so that none is open now.
        await sleep(attempt === 1 ? 0 : 50);
        if (truncateLog(writer)) return;
      }
    },
    load: () => ({ waiting: queue.length() }),
    // Cannot be a mere SELECT 1, which never touches the file.
    ping: async () => void reader.prepare("SELECT count(*) FROM applications WHERE id = ''").get(),
    close: async () => {
      await queue.idle();
      reader.close();
      writer.close();
    },
  };
}

/**
 * Deleted cells are overwritten with zeros (secure_delete), in the log: until it is copied into the database and emptied, both still hold what
 * was there before. False while another process is in the way.
 */
function truncateLog(connection: Database.Database): boolean {
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}

/** Reads a database as it is: creates nothing, changes nothing, and waits for nobody. Undefined when there is no such file. */
export function openSqliteReader(file: string): { reader: Handle; close(): Promise<void> } | undefined {
  if (!existsSync(file)) return undefined;
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: 0 });
  return { reader: handleOf(connection), close: async () => void connection.close() };
}

/** Makes a database that nobody uses one file without companions, and its bytes durable. */
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
 * Whether another connection has this database open, of this process or any other of this machine: in WAL mode each holds a shared lock for as
 * long as it lives, so that the exclusive one is not to be had. A connection that is being closed is given a moment.
 */
export async function isSqliteInUse(file: string): Promise<boolean> {
  for (let attempt = 1; existsSync(file); attempt += 1) {
    if (!isLocked(file)) return false;
    if (attempt === mostLooks) return true;
    await sleep(100);
  }
  return false;
}

const mostLooks = 10;

function isLocked(file: string): boolean {
  const connection = connect(file, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma("locking_mode = EXCLUSIVE");
    connection.exec("BEGIN EXCLUSIVE");
    connection.exec("ROLLBACK");
    return false;
  } catch (error) {
    // Whatever else is wrong with it, it is not in use.
    return (error as { code?: string }).code?.startsWith("SQLITE_BUSY") ?? false;
  } finally {
    connection.close();
  }
}

/** Whether it is a database, but one whose pages do not fit together. */
export function isCorruption(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return (
    (typeof code === "string" && code.startsWith("SQLITE_CORRUPT")) || (cause !== undefined && isCorruption(cause))
  );
}

/** Statements in the words of PostgreSQL (`$1`), for what asks both databases the same. */
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
  };
}

/** The one cast: drizzle's synchronous database seen through the asynchronous type that both dialects share. */
export function handleOf(connection: Database.Database): Handle {
  return { db: drizzle(connection) as unknown as Handle["db"], tables: sqliteTables };
}
