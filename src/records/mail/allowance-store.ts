import { sql } from "drizzle-orm";
import { hour } from "../../lib/clock.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { mailAllowances: allowances } = tables;
  const { accountDigest, since: now } = placeholders(allowances);
  // A start in the future also ends the window: the clock was set back.
  const isOver = sql`abs(${allowances.since} - CAST(${now} AS bigint)) >= ${sql.raw(String(hour))}`;
  return {
    countMail: prepare(
      db
        .insert(allowances)
        .values({ accountDigest, sent: 1, since: now })
        .onConflictDoUpdate({
          target: allowances.accountDigest,
          set: {
            sent: sql`CASE WHEN ${isOver} THEN 1 ELSE ${allowances.sent} + 1 END`,
            since: sql`CASE WHEN ${isOver} THEN CAST(${now} AS bigint) ELSE ${allowances.since} END`,
          },
        })
        .returning({ sent: allowances.sent }),
      "count_asked_mail",
    ),
    sweep: prepareSweep(
      handle,
      { table: allowances, key: allowances.accountDigest, instant: allowances.since },
      "sweep_mail_allowances",
    ),
  };
});

/** Counts a requested mail and returns its number within the hour. */
export async function countAskedMail(tx: Handle, accountDigest: string, now: number): Promise<number> {
  const [row] = await prepared(tx).countMail.execute({ accountDigest, since: now });
  return row?.sent ?? 0;
}

/** Removes a batch of those whose hour is over; true if more may be left. */
export async function sweepAllowances(tx: Handle, now: number): Promise<boolean> {
  return await prepared(tx).sweep(now - hour);
}
