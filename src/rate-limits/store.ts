import { eq, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";

export type Count = Row<"rateLimitCounts">;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { rateLimitCounts: counts } = tables;
  const sum = { target: counts.digest, set: { used: sql`${counts.used} + excluded.used` } };
  return {
    add: prepare(
      db.insert(counts).values(placeholders(counts)).onConflictDoUpdate(sum).returning({ used: counts.used }),
      "add_to_rate_limit_count",
    ),
    used: prepare(
      db
        .select({ used: counts.used })
        .from(counts)
        .where(eq(counts.digest, sql.placeholder("digest"))),
      "rate_limit_count",
    ),
    giveBack: prepare(
      db
        .update(counts)
        .set({ used: sql`${counts.used} - 1` })
        .where(eq(counts.digest, sql.placeholder("digest"))),
      "give_back_to_rate_limit_count",
    ),
    /** Always in the same order, so that two nodes never deadlock. */
    addAll: prepare(
      db
        .insert(counts)
        .select(
          sql`SELECT * FROM unnest(${sql.placeholder("digests")}::text[], ${sql.placeholder("ends")}::bigint[], ${sql.placeholder("points")}::bigint[]) AS added(digest, ends_at, used) ORDER BY digest`,
        )
        .onConflictDoUpdate(sum)
        .returning({ digest: counts.digest, used: counts.used }),
      "add_to_rate_limit_counts",
    ),
    sweep: prepareSweep(
      handle,
      { table: counts, key: counts.digest, instant: counts.endsAt },
      "sweep_rate_limit_counts",
    ),
  };
});

/** Adds to a count and returns it. */
export async function addToCount(tx: Handle, count: Count): Promise<number> {
  const [row] = await prepared(tx).add.execute(count);
  if (!row) throw new Error("a count that was added to is not there");
  return row.used;
}

/** A count, without adding to it. */
export async function findCount(handle: Handle, digest: string): Promise<number> {
  const [row] = await prepared(handle).used.execute({ digest });
  return row?.used ?? 0;
}

/** Subtracts one from a count that this transaction added to. */
export async function giveBackToCount(tx: Handle, digest: string): Promise<void> {
  await prepared(tx).giveBack.execute({ digest });
}

/** Adds to many counts, each listed once, and returns them by digest. PostgreSQL only. */
export async function addToCounts(handle: Handle, counts: Count[]): Promise<Map<string, number>> {
  const rows = await prepared(handle).addAll.execute({
    digests: counts.map(({ digest }) => digest),
    ends: counts.map(({ endsAt }) => endsAt),
    points: counts.map(({ used }) => used),
  });
  return new Map(rows.map(({ digest, used }) => [digest, used]));
}

/** Removes a batch of minutes that ended before; true if more may be left. */
export async function sweepCounts(tx: Handle, endedBefore: number): Promise<boolean> {
  return await prepared(tx).sweep(endedBefore);
}
