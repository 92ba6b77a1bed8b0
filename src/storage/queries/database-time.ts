import { max, sql } from "drizzle-orm";
import type { DatabaseTime, Handle } from "../storage.ts";

/** The time of PostgreSQL's clock. */
export async function currentTime({ db, tables: { facts } }: Handle): Promise<DatabaseTime | undefined> {
  const now = sql<string>`CAST(extract(epoch from clock_timestamp()) * 1000 AS bigint)`;
  const [row] = await db.select({ now }).from(facts).limit(1);
  return row && { at: Number(row.now), isCurrent: true };
}

/** The time of the newest event. */
export async function newestEventTime({ db, tables: { auditEvents } }: Handle): Promise<DatabaseTime | undefined> {
  const [row] = await db.select({ at: max(auditEvents.at) }).from(auditEvents);
  return typeof row?.at === "number" ? { at: row.at, isCurrent: false } : undefined;
}
