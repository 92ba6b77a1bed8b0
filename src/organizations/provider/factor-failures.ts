/** Second factors that are typed after an organization's provider: wrong ones block them there only. */
import { and, eq } from "drizzle-orm";
import type { TryRefusal } from "../../factors/service.ts";
import { second } from "../../lib/clock.ts";
import { maxFailures, waitSecondsAfter } from "../../rate-limits/failures.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle, Row } from "../../storage/storage.ts";
import { lockUser } from "../../users/store.ts";

type Place = Pick<Row<"organizationFactorFailures">, "organizationId" | "userId">;

function at({ tables: { organizationFactorFailures: t } }: Handle, { organizationId, userId }: Place) {
  return and(eq(t.organizationId, organizationId), eq(t.userId, userId));
}

/** Counts a code before it is compared; or says why none is. */
export async function countTry(ctx: Context, place: Place): Promise<TryRefusal | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = await lockUser(tx, place.userId);
    if (!user) return undefined;
    const { organizationFactorFailures: t } = tx.tables;
    const [row] = await tx.db.select().from(t).where(at(tx, place));
    const failures = row?.failures ?? 0;
    if (failures >= maxFailures) return { kind: "factor-blocked" };
    const waitsUntil = (row?.lastFailedAt ?? 0) + waitSecondsAfter(failures) * second;
    if (waitsUntil > now) return { kind: "too-many-tries", retryAfterSeconds: Math.ceil((waitsUntil - now) / second) };
    const counted = { failures: failures + 1, lastFailedAt: now };
    await tx.db
      .insert(t)
      .values({ organizationId: place.organizationId, userId: place.userId, appId: user.appId, ...counted })
      .onConflictDoUpdate({ target: [t.organizationId, t.userId], set: counted });
    return undefined;
  });
}

/** The right one was typed. */
export async function forget(tx: Handle, place: Place): Promise<void> {
  await tx.db.delete(tx.tables.organizationFactorFailures).where(at(tx, place));
}
