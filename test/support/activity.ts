import { activityOf, totals } from "../../src/records/activity/activity.ts";
import type { ActivitySpan } from "../../src/storage/column-types.ts";
import type { Handle } from "../../src/storage/storage.ts";

const ever = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** How often each event happened, by event and kind; of the whole service without `appId`. */
export async function countsOf(
  handle: Handle,
  appId?: string,
  span: ActivitySpan = "day",
): Promise<Record<string, number>> {
  const counts = await totals(handle, { span, ...ever, ...(appId === undefined ? {} : { appId }) });
  return Object.fromEntries(counts.map(({ event, kind, value }) => [`${event} ${kind}`.trim(), value]));
}

/** The same, read from the audit log; without what is not in it. */
export async function auditedCountsOf(
  { db, tables: { auditEvents } }: Handle,
  appId?: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const row of await db.select().from(auditEvents)) {
    const activity = activityOf(row);
    if (!activity || (appId !== undefined && row.appId !== appId)) continue;
    const key = `${activity.event} ${activity.kind}`.trim();
    counts[key] = (counts[key] ?? 0) + Number(row.details["count"] ?? 1);
  }
  return counts;
}

/** Counts by event and kind, without what the audit log does not have. */
export function withoutUnaudited(counts: Record<string, number>): Record<string, number> {
  const unaudited = /^(?:active|webhook|mail\.sent|mail\.failed)/u;
  return Object.fromEntries(Object.entries(counts).filter(([key]) => !unaudited.test(key)));
}
