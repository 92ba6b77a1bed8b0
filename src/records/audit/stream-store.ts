import { and, asc, eq, gte, sql, type SQL } from "drizzle-orm";
import { feedEpoch } from "../../storage/queries/commit-order.ts";
import type { Handle } from "../../storage/storage.ts";
import { auditColumns, isAfter, numbersFact, type AuditRow } from "./store.ts";

/** The database and its newest position. */
export type LogPosition = { epoch: string | null; life: string; numbers: string | null; position: string };

export async function findLogPosition({ db, tables, commitOrder }: Handle): Promise<LogPosition> {
  const { auditEvents: events, facts } = tables;
  const factOf = (name: string): SQL<string | null> =>
    sql<string | null>`(SELECT ${facts.value} FROM ${facts} WHERE ${eq(facts.name, name)})`;
  const [here] = await db
    .select({
      epoch: factOf(feedEpoch),
      numbers: factOf(numbersFact),
      life: sql<string>`${commitOrder.life}`,
      position: commitOrder.logPosition(events),
    })
    .from(sql`(SELECT 1 AS one) AS one`);
  if (!here) throw new Error("the database has no position");
  return here;
}

/**
 * Entries written after `after` (null: all) and up to `until`, by their time; those after `last`,
 * and since `since`.
 */
export async function listWritten(
  { db, tables: { auditEvents: events }, commitOrder }: Handle,
  wanted: {
    after: string | null;
    until: string;
    last: { at: number; id: string } | undefined;
    since: number | undefined;
    limit: number;
  },
): Promise<AuditRow[]> {
  const { after, until, last, since, limit } = wanted;
  // The first page is found by what is new, and sorted; the others, of a long backlog, by time.
  const isFirst = after !== null && last === undefined;
  return await db
    .select(auditColumns(events))
    .from(events)
    .where(
      and(
        commitOrder.inLog(events, after, until, isFirst),
        last && isAfter(events, last, true),
        since === undefined ? undefined : gte(events.at, since),
      ),
    )
    .orderBy(isFirst ? sql`${events.at} + 0` : asc(events.at), asc(events.id))
    .limit(limit);
}

/** Whether the database has not reached this position: then it belongs to another one. */
export async function isAhead({ db, tables, commitOrder }: Handle, position: string): Promise<boolean> {
  const isNewer = commitOrder.isLogAhead(tables.auditEvents, position);
  const [row] = await db.select({ isNewer }).from(sql`(SELECT 1 AS one) AS one`);
  return row?.isNewer ?? true;
}
