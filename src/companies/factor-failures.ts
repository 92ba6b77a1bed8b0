/** Second factors typed after an organization's provider: wrong ones block them only there. */
import type { TryRefusal } from "../factors/service.ts";
import { second } from "../lib/clock.ts";
import { maxFailures, waitSecondsAfter } from "../rate-limits/failures.ts";
import type { Context } from "../runtime/context.ts";
import { lockUser } from "../users/store.ts";
import { find, save, type Place } from "./factor-failure-store.ts";

/** Counts a code before it is compared; or says why none is. */
export async function countTry(ctx: Context, place: Place): Promise<TryRefusal | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = await lockUser(tx, place.userId);
    if (!user) return undefined;
    const row = await find(tx, place);
    const failures = row?.failures ?? 0;
    if (failures >= maxFailures) return { kind: "factor-blocked" };
    const waitsUntil = (row?.lastFailedAt ?? 0) + waitSecondsAfter(failures) * second;
    if (waitsUntil > now) return { kind: "too-many-tries", retryAfterSeconds: Math.ceil((waitsUntil - now) / second) };
    const { organizationId, userId } = place;
    await save(tx, { organizationId, userId, appId: user.appId, failures: failures + 1, lastFailedAt: now });
    return undefined;
  });
}
