import { sql } from "drizzle-orm";
import { dayNumber } from "../lib/clock.ts";
import * as activity from "../records/activity/activity.ts";
import type { CounterName } from "../storage/column-types.ts";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";
import { addBeforeCommit } from "../storage/transaction.ts";
import type { User } from "./user.ts";

const prepared = statements(({ db, shard, tables: { applicationCounters: counters } }) => ({
  add: prepare(
    db
      .insert(counters)
      .values({ ...placeholders(counters), shard })
      .onConflictDoUpdate({
        target: [counters.appId, counters.day, counters.name, counters.shard],
        set: { value: sql`${counters.value} + excluded.value` },
      }),
    "add_to_application_counter",
  ),
}));

/**
 * Counts users that were inserted (1) or deleted (-1) in this transaction. Their sign-ins stay
 * counted.
 */
export function countUsers(tx: Handle, users: Pick<User, "appId" | "lastLoginAt">[], by: 1 | -1): void {
  for (const { appId, lastLoginAt } of users) {
    add(tx, appId, "users", by);
    if (lastLoginAt !== null) add(tx, appId, "active", by, dayNumber(lastLoginAt));
  }
}

/** Counts a sign-in that this transaction recorded on `user`, and moves the user to its day. */
export function countLogin(tx: Handle, { appId, previousLoginAt }: User, at: number): void {
  add(tx, appId, "logins", 1);
  const today = dayNumber(at);
  const before = previousLoginAt === null ? undefined : dayNumber(previousLoginAt);
  if (before === today) return;
  add(tx, appId, "active", 1, today);
  if (before !== undefined) add(tx, appId, "active", -1, before);
  activity.count(tx, { event: "active", kind: "" }, { appId, at });
}

/** Counts logins that began (1) or that ended or were removed unended (-1) in this transaction. */
export function countLiveLogins(tx: Handle, logins: { appId: string }[], by: 1 | -1): void {
  for (const { appId } of logins) add(tx, appId, "live", by);
}

function add(tx: Handle, appId: string, name: CounterName, by: number, day = 0): void {
  const key = JSON.stringify(["application_counters", appId, day, name]);
  addBeforeCommit(tx, key, by, async (value) => await prepared(tx).add.execute({ appId, day, name, value }));
}
