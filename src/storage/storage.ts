import { getTableColumns, like, sql, type SQL } from "drizzle-orm";
import type { BaseSQLiteDatabase, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { CommitOrder } from "./queries/commit-order.ts";
import type { Tables } from "./schema.ts";
import type { Statement } from "./queries/statement.ts";

/**
 * Ends a transaction without an error: `throw rollBack(outcome)` undoes its writes, and `write`
 * resolves to `outcome`. If `write` cannot infer the type, name it: `storage.write<Outcome>(async
 * (tx, rollBack) => …)`.
 */
export type RollBack<T> = (outcome: T) => Error;

/**
 * Runs queries, and is the first argument of every store function: the reader, or the transaction
 * of `write`. Typed as SQLite for both databases; always awaited. No `.get/.all/.run`, no driver
 * row counts: use `.returning()` and its length.
 */
export type Handle = {
  readonly db: BaseSQLiteDatabase<"async", unknown>;
  readonly tables: Tables;
  /**
   * True for PostgreSQL's reader: many callers' questions become one statement (`gathered`), which
   * is its own transaction and saves BEGIN and COMMIT.
   */
  readonly gathers?: true;
  readonly commitOrder: CommitOrder;
  /**
   * Which of 16 rows of a counter this connection adds to, so that concurrent transactions do not
   * wait for one row. Always 0 on SQLite, whose writers run one at a time.
   */
  readonly shard: SQL;
};

export type StorageLoad = { waiting: number; connections?: { open: number; idle: number } };

/**
 * In epoch milliseconds. `isCurrent`: PostgreSQL's own clock. SQLite has none: this is the time of
 * its newest event, by the clock of its writer.
 */
export type DatabaseTime = { at: number; isCurrent: boolean };

export type Storage = {
  /**
   * Only for display. Code that behaves differently uses a specific property, such as `isShared`.
   */
  readonly dialect: "sqlite" | "postgres";
  /** Whether several nodes may serve this database (PostgreSQL). SQLite's file belongs to one. */
  readonly isShared: boolean;
  /** The migrations that opening it applied, except to an empty database. */
  readonly migrated?: readonly string[];
  /** For reads outside a transaction. Sees everything committed before the call. */
  readonly reader: Handle;
  /**
   * Runs `work` as one transaction and resolves when its commit is durable. A throw rolls it back
   * and is passed on; `throw rollBack(outcome)` rolls it back and resolves; `afterCommit`
   * (transaction.ts) acts once it is durable. `work` does database work only: it may be retried
   * after a serialization failure, and on SQLite it shares its commit with others. Each branch of a
   * `Promise.all` may run only one statement: a second one could be sent after another failed and
   * the transaction ended.
   */
  write<T>(work: (tx: Handle, rollBack: RollBack<T>) => Promise<T>): Promise<T>;
  /**
   * Like `write` for a single writing statement, which saves PostgreSQL BEGIN and COMMIT. It may be
   * gathered (`questions`). Data that was read before may have changed by the time it writes.
   */
  writeOne<T>(statement: (handle: Handle) => Promise<T>): Promise<T>;
  /**
   * Delays commits so that more writes share them, while `isBusy` says that all processors are
   * busy. PostgreSQL does this by itself.
   */
  shareCommitsWhile(isBusy: () => boolean): void;
  /**
   * Removes data that was deleted before this call from our files, as soon as other processes allow
   * it. PostgreSQL does so by itself.
   */
  forgetDeleted(): Promise<void>;
  /**
   * Resolves when every transaction that began before this call, in any process, has ended.
   * SQLite's writers run one at a time, so none is left. Throws CONFLICT if one stays open for a
   * minute.
   */
  olderTransactionsEnd(): Promise<void>;
  /**
   * The current load. `waiting` counts transactions (SQLite) or callers of the pool (PostgreSQL) in
   * the queue.
   */
  load(): StorageLoad;
  /** Throws if the database does not answer. */
  ping(): Promise<void>;
  /** The size of the database; for SQLite that of its file and its log. */
  bytes(): Promise<number>;
  /** The latest time that the database knows; undefined if no row has one. */
  time(): Promise<DatabaseTime | undefined>;
  close(): Promise<void>;
};

/**
 * A whole row as a statement's parameters. Statements do not check their parameters: use `row
 * satisfies Row<"logins">`.
 */
export type Row<Table extends keyof Tables> = Tables[Table]["$inferSelect"];

/**
 * Builds a store's statements once per long-lived handle (the SQLite connections, each pooled
 * PostgreSQL client). Building a query costs ten times as much as running a prepared one
 * (docs/decisions/0002).
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
 * `query.prepare(name)` at the first run, because short-lived handles run few of their statements.
 * SQLite's type has no names. On PostgreSQL a name must stand for one text per connection.
 */
export function prepare<Result>(query: { prepare(): Statement<Result> }, name: string): Statement<Result> {
  let prepared: Statement<Result> | undefined;
  return {
    execute(values) {
      prepared ??= (query as { prepare(name: string): Statement<Result> }).prepare(name);
      return prepared.execute(values);
    },
  };
}

/**
 * `prepare` for the most frequent lookup of SQLite: `execute` returns a row's cells as the driver
 * does, since drizzle's objects take longer than the lookup (docs/decisions/0026).
 */
export function prepareCells<Cells extends unknown[]>(query: {
  prepare(): { values(values: Record<string, unknown>): Promise<unknown[][]> };
}): Statement<Promise<Cells[]>> {
  let prepared: ReturnType<typeof query.prepare> | undefined;
  return {
    async execute(values = {}) {
      prepared ??= query.prepare();
      return (await prepared.values(values)) as Cells[];
    },
  };
}

/**
 * Locks the rows that a query reads: their changes and deletions wait until the transaction ends.
 * SQLite needs no lock, because its writers run one at a time.
 */
export function forShare<Query extends object>(query: Query): Query {
  return "for" in query ? (query as Query & { for(strength: "share"): Query }).for("share") : query;
}

/** The same for rows that this transaction changes, but not their key. */
export function forChange<Query extends object>(query: Query): Query {
  return "for" in query ? (query as Query & { for(strength: "no key update"): Query }).for("no key update") : query;
}

/** The same for those rows that nobody else has locked. */
export function lockFree<Query extends object>(query: Query): Query {
  if (!("for" in query)) return query;
  return (query as Query & { for(...how: unknown[]): Query }).for("no key update", { skipLocked: true });
}

/**
 * Whether a column's text begins with `prefix`, taken literally. For people's searches: SQLite
 * ignores the case of letters.
 */
export function beginsWith(column: SQLiteColumn, prefix: string): SQL {
  const pattern = `${prefix.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
  return sql`${like(column, pattern)} escape '\\'`;
}

/**
 * A placeholder for each column of a table, with its name and encoding. A bare `sql.placeholder`
 * inside SQL (for example in `set`) would pass JSON and booleans to the driver unencoded.
 */
export function placeholders<Table extends SQLiteTable>(table: Table): Record<keyof Table["$inferSelect"], SQL> {
  const named = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const mapToDriverValue = (value: unknown): unknown => (value === null ? null : column.mapToDriverValue(value));
    return [name, sql`${sql.param(sql.placeholder(name), { mapToDriverValue })}`];
  });
  return Object.fromEntries(named) as Record<keyof Table["$inferSelect"], SQL>;
}
