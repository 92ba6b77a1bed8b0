import { getTableName, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The fact that names the revocation feed. A database without it begins a new feed. */
export const feedEpoch = "revocation-epoch";

/** The columns by which rows are found in the order of their commits. */
type Numbered = SQLiteTable & { id: SQLiteColumn; writtenIn: SQLiteColumn };

/** The audit log, whose rows have no number of their own. */
type Log = SQLiteTable & { writtenIn: SQLiteColumn };

/**
 * SQL that finds the rows committed since an earlier statement, however long their transactions ran
 * (docs/decisions/0043). A position is the snapshot of one statement, as text.
 */
export type CommitOrder = {
  /** The position of the statement that selects it. */
  position(table: Numbered): SQL<string>;
  /** If this value changes, the database's positions began anew. */
  readonly life: SQL<string>;
  /** Whether the position is newer than the database: then it belongs to another one. */
  isAhead(table: Numbered, position: SQL): SQL<boolean>;
  /**
   * The rows that a statement at `after` did not see, and that this one and the one at `until` do.
   */
  between(table: Numbered, after: SQL, until: SQL): SQL;
  /** The same for a log, whose positions are those of this function. */
  logPosition(log: Log): SQL<string>;
  /** Whether the position is newer than the log. */
  isLogAhead(log: Log, position: string): SQL<boolean>;
  /**
   * The rows of a log written after `after` (null: all), up to `until`. `indexed`: whether this
   * condition finds the rows, by an index, or only checks rows that another condition finds.
   */
  inLog(log: Log, after: string | null, until: string, indexed: boolean): SQL;
  /** The highest row number; if it falls, numbers are reused. Undefined: they never are. */
  highest(log: Log): SQL<number> | undefined;
  isPosition(text: string): boolean;
  /** The same or an earlier position, as a short text. */
  short(position: string): string;
};

/** Writers run one at a time, so the numbers of rows are the order of the commits. */
export const sqliteOrder: CommitOrder = {
  position: (table) => sql<string>`CAST(${lastNumber(table)} AS TEXT)`,
  life: sql<string>`''`,
  isAhead: (table, position) =>
    sql<boolean>`CAST(${position} AS INTEGER) > ${lastNumber(table)}`.mapWith((value: unknown) => value === 1),
  between: ({ id, writtenIn }, after, until) =>
    sql`${writtenIn} IS NULL AND ${id} > CAST(${after} AS INTEGER) AND ${id} <= coalesce(CAST(${until} AS INTEGER), ${id})`,
  logPosition: (log) => sql<string>`CAST((SELECT coalesce(max(rowid), 0) FROM ${log}) AS TEXT)`,
  isLogAhead: (log, position) =>
    sql<boolean>`CAST(${position} AS INTEGER) > (SELECT coalesce(max(rowid), 0) FROM ${log})`.mapWith(
      (value: unknown) => value === 1,
    ),
  inLog(log, after, until, indexed) {
    const row = indexed ? sql`${log}.rowid` : sql`${log}.rowid + 0`;
    return sql`${row} > CAST(${after ?? "0"} AS INTEGER) AND ${row} <= CAST(${until} AS INTEGER)`;
  },
  highest: (log) => sql<number>`(SELECT coalesce(max(rowid), 0) FROM ${log})`,
  isPosition: (text) => /^\d{1,15}$/u.test(text),
  short: (position) => position,
};

/** The highest number that any row got, including removed ones. */
function lastNumber(table: Numbered): SQL {
  return sql`coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${sql.raw(`'${getTableName(table)}'`)}), 0)`;
}

/** No database has that many transactions: a cursor with a larger number is forged. */
const transactionLimit = 2n ** 63n;
const longestPosition = 2000;

/**
 * A row keeps the number of its transaction; a position is a snapshot, which knows the transactions
 * that ran. So a row that is committed late is found late, and no reader waits for it.
 */
export const postgresOrder: CommitOrder = {
  position: () => sql<string>`pg_current_snapshot()::text`,
  // The cluster, and its timeline: a standby that takes over may have lost the last transactions.
  life: sql<string>`(SELECT system_identifier FROM pg_control_system()) || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`,
  isAhead: (_table, position) => isAheadOfServer(position),
  between: ({ writtenIn }, after, until) =>
    // The first condition finds them in an index.
    sql`${writtenIn} >= pg_snapshot_xmin(${snapshot(after)})
      AND NOT pg_visible_in_snapshot(${writtenIn}, ${snapshot(after)})
      AND pg_visible_in_snapshot(${writtenIn}, coalesce(${snapshot(until)}, pg_current_snapshot()))`,
  logPosition: () => sql<string>`pg_current_snapshot()::text`,
  isLogAhead: (_log, position) => isAheadOfServer(sql`${position}`),
  inLog({ writtenIn }, after, until, indexed) {
    const [from, to] = [snapshot(sql`${after}`), snapshot(sql`${until}`)];
    // A dump of another server may have brought numbers that this one has not reached.
    const isForeign = sql`${writtenIn} >= pg_snapshot_xmax(pg_current_snapshot())`;
    if (after === null) return sql`(pg_visible_in_snapshot(${writtenIn}, ${to}) OR ${isForeign})`;
    const isNew = sql`NOT pg_visible_in_snapshot(${writtenIn}, ${from}) AND pg_visible_in_snapshot(${writtenIn}, ${to})`;
    return indexed ? sql`${writtenIn} >= pg_snapshot_xmin(${from}) AND ${isNew}` : isNew;
  },
  highest: () => undefined,
  isPosition(text) {
    if (!/^\d{1,19}:\d{1,19}:(?:\d{1,19}(?:,\d{1,19})*)?$/u.test(text)) return false;
    const [xmin = "", xmax = "", running = ""] = text.split(":");
    const numbers = [xmin, ...(running === "" ? [] : running.split(",")), xmax].map(BigInt);
    const isRising = numbers.every((number, place) => place === 0 || number >= (numbers[place - 1] ?? 0n));
    const hasRoom = running === "" || (numbers.at(-2) ?? 0n) < (numbers.at(-1) ?? 0n);
    return isRising && hasRoom && (numbers[0] ?? 0n) > 0n && (numbers.at(-1) ?? 0n) < transactionLimit;
  },
  // As if everything since the oldest running transaction were unseen: rows repeat, none is missed.
  short(position) {
    const [xmin] = position.split(":");
    return position.length <= longestPosition ? position : `${xmin}:${xmin}:`;
  },
};

function isAheadOfServer(position: SQL): SQL<boolean> {
  return sql<boolean>`coalesce(pg_snapshot_xmax(${snapshot(position)}) > pg_snapshot_xmax(pg_current_snapshot()), false)`;
}

function snapshot(position: SQL): SQL {
  return sql`${position}::pg_snapshot`;
}
