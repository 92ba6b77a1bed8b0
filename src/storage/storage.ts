import { getTableColumns, like, sql, type SQL } from "drizzle-orm";
import type { BaseSQLiteDatabase, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { direct } from "./direct.ts";
import type { Tables } from "./schema.ts";

/**
 * Where a query runs, and the first argument of every store function: the reader, or the transaction handed to `write`.
 * Typed as SQLite for both databases; always awaited. No `.get/.all/.run`, no driver row counts: `.returning()` and its length.
 */
export type Handle = {
  readonly db: BaseSQLiteDatabase<"async", unknown>;
  readonly tables: Tables;
  /**
   * PostgreSQL's reader: what many callers ask there goes in one statement (`gathered`), which is a transaction of its own, without BEGIN
   * and COMMIT on the way of every call.
   */
  readonly gathers?: true;
};

export type StorageLoad = { waiting: number; connections?: { open: number; idle: number } };

export type Storage = {
  readonly dialect: "sqlite" | "postgres";
  /** For reads outside a transaction; sees everything that was committed before the call. */
  readonly reader: Handle;
  /**
   * Runs `work` as one transaction and resolves after its commit is durable; a throw rolls it back and is passed on.
   * `work` does database work only: it may run again after a serialization failure, and on SQLite it shares its commit with others. What it asks
   * side by side (`Promise.all`) is one statement each: a second one could go out after another had failed, and the transaction was over.
   */
  write<T>(work: (tx: Handle) => Promise<T>): Promise<T>;
  /**
   * PostgreSQL only, where nothing else makes one commit of many: runs one statement, gathered with those of its turn (`questions`), which is a
   * transaction of its own.
   */
  readonly writeTogether?: <T>(statement: (handle: Handle) => Promise<T>) => Promise<T>;
  /**
   * SQLite only: has commits wait longer for others to share them while `isBusy` says that every processor has work anyway. PostgreSQL flushes together
   * what commits at the same moment.
   */
  readonly shareCommitsWhile?: (isBusy: () => boolean) => void;
  /** Lets no file of ours hold what was deleted before this call, as soon as other processes let go of it. PostgreSQL does so by itself. */
  forgetDeleted(): Promise<void>;
  /** How busy it is. `waiting`: transactions (SQLite) or callers of the pool (PostgreSQL) that are not served yet. */
  load(): StorageLoad;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type Statement<Result> = { execute(values?: Record<string, unknown>): Result };

/** A whole row as a statement takes it. Statements do not check what they are run with: `row satisfies Row<"logins">` does. */
export type Row<Table extends keyof Tables> = Tables[Table]["$inferSelect"];

/**
 * Builds the statements of a store once for each handle that lives long (the SQLite connections, each pooled PostgreSQL client).
 * Building a query costs ten times what running a prepared one does ([0002](../../docs/decisions/0002-group-commit.md)).
 */
export function statements<T>(build: (handle: Handle) => T): (handle: Handle) => T {
  const built = new WeakMap<Handle, T>();
  return (handle) => {
    let found = built.get(handle);
    if (found === undefined) {
      found = build(handle);
      built.set(handle, found);
    }
    return found;
  };
}

/**
 * `query.prepare(name)`, when it is first run: a short-lived connection, a command or the reader runs few of its statements.
 * SQLite's type knows no name; PostgreSQL needs one, which no other text may have on the same connection.
 */
export function prepare<Result>(query: { prepare(): Statement<Result> }, name: string): Statement<Result> {
  let prepared: Statement<Result> | undefined;
  return {
    execute(values) {
      prepared ??= direct((query as { prepare(name: string): Statement<Result> }).prepare(name));
      return prepared.execute(values);
    },
  };
}

/** Whether the text in a column begins with `prefix`, whatever LIKE would make of it. Meant for people: SQLite takes a letter for its capital. */
export function beginsWith(column: SQLiteColumn, prefix: string): SQL {
  const pattern = `${prefix.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
  return sql`${like(column, pattern)} escape '\\'`;
}

/**
 * A placeholder for each column of a table: named like the column, and encoded like it. A bare `sql.placeholder` inside of SQL (in `set`, say)
 * would hand JSON and booleans to the driver as they are.
 */
export function placeholders<Table extends SQLiteTable>(table: Table): Record<keyof Table["$inferSelect"], SQL> {
  const named = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const mapToDriverValue = (value: unknown): unknown => (value === null ? null : column.mapToDriverValue(value));
    return [name, sql`${sql.param(sql.placeholder(name), { mapToDriverValue })}`];
  });
  return Object.fromEntries(named) as Record<keyof Table["$inferSelect"], SQL>;
}
