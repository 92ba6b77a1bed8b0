import { inArray, lt, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { setImmediate as nextTurn } from "node:timers/promises";
import { prepare, type Handle } from "./storage.ts";

/** How many rows one transaction removes: a few milliseconds' work, far from PostgreSQL's statement_timeout. */
const batchSize = 500;

/**
 * Runs `removeBatch` while it answers that more may be left, with a turn of the event loop in between. Each call is a transaction of its own,
 * so that a backlog holds up nobody.
 * A batch that came short because another node was removing the same rows ends it as well: that node goes on.
 */
export async function sweepAll(removeBatch: () => Promise<boolean>, isStopping: () => boolean): Promise<void> {
  while (!isStopping() && (await removeBatch())) await nextTurn();
}

/** Prepares what removes a batch of the rows whose `instant` lies before a given one; it answers whether more may be left. */
export function prepareSweep(
  { db }: Handle,
  { table, key, instant }: { table: SQLiteTable; key: SQLiteColumn; instant: SQLiteColumn },
  name: string,
): (before: number) => Promise<boolean> {
  const batch = db
    .select({ key })
    .from(table)
    .where(lt(instant, sql.placeholder("before")))
    .limit(batchSize);
  const query = prepare(db.delete(table).where(inArray(key, batch)).returning({ key }), name);
  return async (before) => (await query.execute({ before })).length === batchSize;
}
