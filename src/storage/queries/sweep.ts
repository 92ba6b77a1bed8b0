import { and, inArray, lt, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { setImmediate as nextTurn } from "node:timers/promises";
import { prepare, type Handle } from "../storage.ts";

/**
 * Rows removed per transaction: a few milliseconds of work, far below PostgreSQL's
 * statement_timeout.
 */
export const sweepSize = 500;

/**
 * Calls `removeBatch` until it returns false. Each call is its own transaction, followed by an
 * event-loop turn, so that a backlog delays nobody. If another node removes the same rows, a short
 * batch ends the loop: that node continues.
 */
export async function sweepAll(removeBatch: () => Promise<boolean>, isStopping: () => boolean): Promise<void> {
  while (!isStopping() && (await removeBatch())) await nextTurn();
}

/**
 * Makes a function that removes a batch of rows (matching `only`) whose `instant` is older; true if
 * more may be left.
 */
export function prepareSweep(
  { db }: Handle,
  {
    table,
    key,
    instant,
    only,
  }: { table: SQLiteTable; key: SQLiteColumn; instant: SQLiteColumn; only?: SQL | undefined },
  name: string,
): (before: number) => Promise<boolean> {
  const batch = db
    .select({ key })
    .from(table)
    .where(and(lt(instant, sql.placeholder("before")), only))
    .limit(sweepSize);
  const query = prepare(db.delete(table).where(inArray(key, batch)).returning({ key }), name);
  return async (before) => (await query.execute({ before })).length === sweepSize;
}
