/**
 * Counts of events, by hour and day, for charts (docs/decisions/0054). Written in the transaction
 * of the event.
 */
import { day, hour } from "../../lib/clock.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { ActivityEvent, ActivitySpan } from "../../storage/column-types.ts";
import { sweepAll } from "../../storage/queries/sweep.ts";
import type { Handle } from "../../storage/storage.ts";
import { addBeforeCommit } from "../../storage/transaction.ts";
import * as store from "./activity-store.ts";
import type { Period } from "./activity-store.ts";

/** `kind`: see `activityEvents`. */
export type Activity = { event: ActivityEvent; kind: string };

/** The fields of an audit entry that are counted. */
type AuditFacts = {
  at: number;
  actor: string;
  action: string;
  result: "success" | "failure";
  appId: string | null;
  details: Record<string, string | number | boolean | null>;
};

const hoursAreKept = 90 * day;
/** An hour or a day that ended so long ago hardly changes any more. */
const settlesIn = hour;

/** The kind that an audit entry is counted as; undefined: none. */
export function activityOf({ actor, action, result, details }: AuditFacts): Activity | undefined {
  const detail = (name: string): string => String(details[name] ?? "");
  const [causedBy = ""] = actor.split(":");
  switch (`${action} ${result}`) {
    case "user.login success":
      return { event: "sign-in", kind: details["provider"] ? `oauth:${detail("provider")}` : detail("method") };
    case "sign-in failure":
      if (details["factor"]) return { event: "second-factor.failed", kind: detail("factor") };
      return { event: "sign-in.failed", kind: detail("method") };
    case "sign-in success":
      // Single sign-on is no new proof.
      if (!details["secondFactor"] || details["singleSignOn"] === true) return undefined;
      return { event: "second-factor", kind: detail("secondFactor") };
    case "user.create success":
      return causedBy === "user" ? { event: "sign-up", kind: detail("method") } : undefined;
    case "password.reset success":
      return { event: "password.reset", kind: "" };
    case "user.logout success":
      return { event: "logout", kind: causedBy };
    case "user.delete success":
      return { event: "user.deleted", kind: causedBy };
    case "call.refused failure":
      return { event: "refusal", kind: detail("code") };
    case "mail.dropped failure":
      return { event: "mail.dropped", kind: detail("kind") };
    default:
      return undefined;
  }
}

/** Counts an audit entry, which may stand for many. */
export function countAudit(tx: Handle, facts: AuditFacts): void {
  const activity = activityOf(facts);
  if (activity) count(tx, activity, facts, Number(facts.details["count"] ?? 1));
}

export function count(
  tx: Handle,
  { event, kind }: Activity,
  { appId, at }: { appId: string | null; at: number },
  by = 1,
): void {
  const about = { appId, event, kind, hour: startOf("hour", at), day: startOf("day", at) };
  // All applications of an event together, and its days in order (docs/decisions/0054).
  const key = JSON.stringify(["activity_counts", event, kind, about.hour, appId]);
  addBeforeCommit(tx, key, by, async (value) => await store.addActivity(tx, { ...about, value }));
}

/** The start of a UTC hour or day. */
function startOf(span: ActivitySpan, at: number): number {
  return at - (at % (span === "hour" ? hour : day));
}

/** Of an application; without `appId`, of the whole service. */
type Wanted = Period & { appId?: string | undefined };

/** How often something happened in an hour or a day. */
export type Counted = Activity & { startsAt: number; value: number };

/** The counts of each hour or day that has any. */
export async function series(handle: Handle, wanted: Wanted): Promise<Counted[]> {
  return await store.readSeries(handle, wanted);
}

/** The same, summed over the period. */
export async function totals(handle: Handle, wanted: Wanted): Promise<(Activity & { value: number })[]> {
  return await store.readTotals(handle, wanted);
}

/** The same, of each application. Reads every row, so ask for few events. */
export async function totalsByApplication(
  handle: Handle,
  period: Period,
): Promise<(Activity & { appId: string; value: number })[]> {
  return await store.readTotalsByApplication(handle, period);
}

/** Removes the counts of an application. The service's counts stay. */
export async function forgetApplication(ctx: CoreContext, appId: string): Promise<void> {
  await sweepAll(
    async () => await ctx.storage.write((tx) => store.removeOfApplication(tx, appId)),
    () => false,
  );
}

/** Removes expired hours and merges shards; true if more may be left. */
export async function sweep(ctx: CoreContext): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const expired = await store.removeHours(tx, now - hoursAreKept);
    const unfolded = await store.foldShards(tx, { hour: now - hour - settlesIn, day: now - day - settlesIn });
    // Counts that were written while the application was deleted.
    const ofDeleted = await store.removeOfDeleted(tx, now - day);
    return expired || unfolded || ofDeleted;
  });
}
