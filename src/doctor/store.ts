import { max, sql } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** PostgreSQL's current time in epoch milliseconds. */
export async function databaseTime({ db, tables: { facts } }: Handle): Promise<number | undefined> {
  const now = sql<string>`CAST(extract(epoch from clock_timestamp()) * 1000 AS bigint)`;
  const [row] = await db.select({ now }).from(facts).limit(1);
  return row && Number(row.now);
}

/** The time of the newest event, by the clock of its writer. */
export async function newestEvent({ db, tables: { auditEvents } }: Handle): Promise<number | undefined> {
  const [row] = await db.select({ at: max(auditEvents.at) }).from(auditEvents);
  return row?.at ?? undefined;
}
