import { sql } from "drizzle-orm";
import { dayNumber } from "../lib/clock.ts";
import type { CounterName } from "../storage/column-types.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { User } from "./user.ts";

const shards = 16;

type Count = Row<"applicationCounters">;

const prepared = statements(({ db, tables: { applicationCounters: counters } }) => ({
  add: prepare(
    db
      .insert(counters)
      .values(placeholders(counters))
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
export async function countUsers(tx: Handle, users: User[], by: 1 | -1): Promise<void> {
  const counts = new Map<string, Count>();
  for (const user of users) {
    add(counts, user, "users", 0, by);
    if (user.lastLoginAt !== null) add(counts, user, "active", dayNumber(user.lastLoginAt), by);
  }
  await write(tx, counts);
}

/** Counts a sign-in that this transaction recorded on `user`, and moves the user to its day. */
export async function countLogin(tx: Handle, user: User, at: number): Promise<void> {
  const counts = new Map<string, Count>();
  add(counts, user, "logins", 0, 1);
  const today = dayNumber(at);
  const before = user.previousLoginAt === null ? undefined : dayNumber(user.previousLoginAt);
  if (before !== today) {
    add(counts, user, "active", today, 1);
    if (before !== undefined) add(counts, user, "active", before, -1);
  }
  await write(tx, counts);
}

function add(counts: Map<string, Count>, { id, appId }: User, name: CounterName, day: number, by: number): void {
  // The end of an id is random.
  const shard = id.charCodeAt(id.length - 1) % shards;
  const key = `${appId} ${day} ${name} ${shard}`;
  counts.set(key, { appId, name, day, shard, value: (counts.get(key)?.value ?? 0) + by });
}

/** Always in the same order, so that two transactions never deadlock. */
async function write(tx: Handle, counts: Map<string, Count>): Promise<void> {
  for (const [, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))) await prepared(tx).add.execute(count);
}
