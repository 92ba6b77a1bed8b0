import { and, count, eq, gt, isNull, lt, or, sql, sum } from "drizzle-orm";
import { day as dayLength, dayNumber } from "../lib/clock.ts";
import type { CounterName } from "../storage/column-types.ts";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";

export type ApplicationStats = { totalUsers: number; activeUsers: number; totalLogins: number };

export const noStats: ApplicationStats = { totalUsers: 0, activeUsers: 0, totalLogins: 0 };

/** A user counts as active on the day of a sign-in and for 29 days afterwards. */
const activeDays = 30;

const prepared = statements(({ db, tables: { applicationCounters: counters } }) => {
  const row = placeholders(counters);
  const total = { appId: counters.appId, name: counters.name, value: sum(counters.value) };
  const counted = or(eq(counters.day, 0), gt(counters.day, sql.placeholder("inactiveDay")));
  return {
    ofApplication: prepare(
      db
        .select(total)
        .from(counters)
        .where(and(eq(counters.appId, row.appId), counted))
        .groupBy(counters.appId, counters.name),
      "counters_of_application",
    ),
    ofAll: prepare(
      db.select(total).from(counters).where(counted).groupBy(counters.appId, counters.name),
      "counters_of_applications",
    ),
    sweep: prepare(
      db.delete(counters).where(and(gt(counters.day, 0), lt(counters.day, sql.placeholder("inactiveDay")))),
      "sweep_application_counters",
    ),
  };
});

type Total = { appId: string; name: CounterName; value: string | null };

export async function readStats(handle: Handle, appId: string, now: number): Promise<ApplicationStats> {
  return statsOf(await prepared(handle).ofApplication.execute({ appId, inactiveDay: inactiveDay(now) }));
}

/** The counts of all applications that have any, by App ID. */
export async function readAllStats(handle: Handle, now: number): Promise<Map<string, ApplicationStats>> {
  const totals: Total[] = await prepared(handle).ofAll.execute({ inactiveDay: inactiveDay(now) });
  return new Map([...Map.groupBy(totals, ({ appId }) => appId)].map(([appId, ofApp]) => [appId, statsOf(ofApp)]));
}

/** Removes days that are no longer counted. */
export async function sweepCounters(tx: Handle, now: number): Promise<void> {
  await prepared(tx).sweep.execute({ inactiveDay: inactiveDay(now) });
}

/**
 * The logins that have not ended, by App ID. One that has expired counts until the next sweep.
 */
export async function readLiveLogins({ db, tables }: Handle): Promise<Map<string, number>> {
  const { applicationCounters: counters } = tables;
  const rows = await db
    .select({ appId: counters.appId, value: sum(counters.value).mapWith(Number) })
    .from(counters)
    .where(and(eq(counters.day, 0), eq(counters.name, "live")))
    .groupBy(counters.appId);
  return new Map(rows.map(({ appId, value }) => [appId, value]));
}

/**
 * Differences between the counters and the rows: users, active users and live logins, by
 * application and day (0: total).
 */
export async function findMiscounts(
  { db, tables: { applicationCounters: counters, logins, users } }: Handle,
  now: number,
): Promise<{ appId: string; name: CounterName; day: number; counted: number; present: number }[]> {
  // A literal, because PostgreSQL treats two equal parameters as different expressions. Its driver
  // returns text.
  const day = sql<number | string>`${users.lastLoginAt} / ${sql.raw(String(dayLength))}`;
  const counted = await db
    .select({ appId: counters.appId, name: counters.name, day: counters.day, value: sum(counters.value) })
    .from(counters)
    .groupBy(counters.appId, counters.name, counters.day);
  const all = await db.select({ appId: users.appId, value: count() }).from(users).groupBy(users.appId);
  const live = await db
    .select({ appId: logins.appId, value: count() })
    .from(logins)
    .where(isNull(logins.endedAt))
    .groupBy(logins.appId);
  const active = await db
    .select({ appId: users.appId, day, value: count() })
    .from(users)
    .where(gt(day, inactiveDay(now)))
    .groupBy(users.appId, day);

  const tallies = new Map<
    string,
    { appId: string; name: CounterName; day: number; counted: number; present: number }
  >();
  const tally = (appId: string, name: CounterName, ofDay: number) => {
    const key = JSON.stringify([appId, name, ofDay]);
    const tally = tallies.get(key) ?? { appId, name, day: ofDay, counted: 0, present: 0 };
    tallies.set(key, tally);
    return tally;
  };
  for (const row of counted) {
    // Sign-ins of deleted users stay counted, and old days may or may not have been removed.
    if (["users", "live"].includes(row.name) || (row.name === "active" && row.day > inactiveDay(now)))
      tally(row.appId, row.name, row.day).counted = Number(row.value);
  }
  for (const row of all) tally(row.appId, "users", 0).present = row.value;
  for (const row of live) tally(row.appId, "live", 0).present = row.value;
  for (const row of active) tally(row.appId, "active", Number(row.day)).present = row.value;
  return [...tallies.values()].filter((each) => each.counted !== each.present);
}

function statsOf(totals: Total[]): ApplicationStats {
  const value = (name: CounterName): number => Number(totals.find((total) => total.name === name)?.value ?? 0);
  return { totalUsers: value("users"), activeUsers: value("active"), totalLogins: value("logins") };
}

/** The latest day whose users are no longer active. */
function inactiveDay(now: number): number {
  return dayNumber(now) - activeDays;
}
