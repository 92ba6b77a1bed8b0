import { max, sql } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** What PostgreSQL says that time is, epoch milliseconds. */
export async function databaseTime({ db, tables: { facts } }: Handle): Promise<number | undefined> {
  const now = sql<string>`CAST(extract(epoch from clock_timestamp()) * 1000 AS bigint)`;
  const [row] = await db.select({ now }).from(facts).limit(1);
  return row && Number(row.now);
}

/** When something was last written down, by the clock of whoever wrote it. */
export async function newestEvent({ db, tables: { auditEvents } }: Handle): Promise<number | undefined> {
  const [row] = await db.select({ at: max(auditEvents.at) }).from(auditEvents);
  return row?.at ?? undefined;
}
