import { readLiveLogins, type ApplicationStats } from "../../applications/counter-store.ts";
import { day, hour } from "../../lib/clock.ts";
import * as counts from "../../records/activity/activity.ts";
import type { Activity } from "../../records/activity/activity.ts";
import type { Context } from "../../runtime/context.ts";
import type { ActivityEvent } from "../../storage/column-types.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import { dailyRange, soFar, timeRange, valuesIn, type RangeName, type TimeRange } from "./time-range.ts";

const failures = ["sign-in.failed", "second-factor.failed"] as const satisfies ActivityEvent[];
const shownEvents = ["sign-in", "sign-up", "refusal", ...failures] as const satisfies ActivityEvent[];

/** How often something happened in an hour or a day. */
export type Counted = Activity & { startsAt: number; value: number };

/** Undefined: the whole service. */
type Scope = { appId?: string };

export async function inRange(ctx: Context, scope: Scope, range: TimeRange): Promise<Counted[]> {
  const { name, span, from, to } = range;
  return await keptIfExpensive(ctx, `activity ${name} ${from} ${scope.appId ?? ""}`, async () =>
    counts.series(ctx.storage.reader, { ...scope, span, from, to, events: shownEvents }),
  );
}

/** Active users of each day, and of the days before the range. */
export async function activeUsers(ctx: Context, scope: Scope, { from, to }: TimeRange): Promise<Counted[]> {
  return await counts.series(ctx.storage.reader, {
    ...scope,
    span: "day",
    from: from - (to - from),
    to,
    events: ["active"],
  });
}

export function isFailure({ event }: Counted): boolean {
  return event === "sign-in.failed" || event === "second-factor.failed";
}

export type Today = { today: number; weekAgo: number; hours: number[] };
export type TodayOf = Record<"signIns" | "signUps" | "failures" | "refusals" | "active", Today>;

/** Since the start of the UTC day, and until the same time a week before. */
export async function today(ctx: Context, scope: Scope): Promise<TodayOf> {
  const now = ctx.clock();
  const start = now - (now % day);
  const week = 7 * day;
  const last = now - (now % hour) + hour;
  const events = [...shownEvents, "active"] as const;
  const read = async (from: number, to: number): Promise<Counted[]> =>
    await counts.series(ctx.storage.reader, { ...scope, span: "hour", from, to, events });
  const [recent, before] = await Promise.all([read(last - day, last), read(start - week, last - week)]);
  const of = (isOne: (counted: Counted) => boolean): Today => ({
    today: recent.filter((each) => isOne(each) && each.startsAt >= start).reduce((sum, { value }) => sum + value, 0),
    weekAgo: soFar(before.filter(isOne), now - week),
    hours: valuesIn({ from: last - day, length: hour, count: 24 }, recent.filter(isOne)),
  });
  const event = (name: ActivityEvent) => of((each) => each.event === name);
  return {
    signIns: event("sign-in"),
    signUps: event("sign-up"),
    failures: of(isFailure),
    refusals: event("refusal"),
    active: event("active"),
  };
}

export type ApplicationActivity = { days: number; of: Map<string, { signIns: number; failures: number }> };

/**
 * Sign-ins and failed ones of each application; for a year, only of the last 30 days, because the
 * year's rows take half a second.
 */
export async function ofEachApplication(ctx: Context, name: RangeName, now: number): Promise<ApplicationActivity> {
  const { span, from, to } = name === "day" ? timeRange(name, now) : dailyRange(name === "week" ? name : "month", now);
  const events = ["sign-in", ...failures] as const;
  const read = async () => await counts.totalsByApplication(ctx.storage.reader, { span, from, to, events });
  const found = new Map<string, { signIns: number; failures: number }>();
  for (const { appId, event, value } of await keptIfExpensive(ctx, `applications ${name} ${from}`, read)) {
    const sums = found.get(appId) ?? { signIns: 0, failures: 0 };
    sums[event === "sign-in" ? "signIns" : "failures"] += value;
    found.set(appId, sums);
  }
  return { days: Math.round((to - from) / day), of: found };
}

export type Deliveries = Record<"delivered" | "failed" | "sent" | "notSent" | "dropped", number>;

/** Attempts of webhooks and mails. */
export async function deliveries(ctx: Context, scope: Scope, { span, from, to }: TimeRange): Promise<Deliveries> {
  const events = ["webhook.delivered", "webhook.failed", "mail.sent", "mail.failed", "mail.dropped"] as const;
  const found = await counts.totals(ctx.storage.reader, { ...scope, span, from, to, events });
  const of = (name: (typeof events)[number]): number =>
    found.filter(({ event }) => event === name).reduce((sum, { value }) => sum + value, 0);
  return {
    delivered: of("webhook.delivered"),
    failed: of("webhook.failed"),
    sent: of("mail.sent"),
    notSent: of("mail.failed"),
    dropped: of("mail.dropped"),
  };
}

/** People and live logins of these applications. */
export async function present(
  ctx: Context,
  applications: { id: string; stats: ApplicationStats }[],
): Promise<{ people: number; active: number; live: number }> {
  const live = await readLiveLogins(ctx.storage.reader);
  const sum = { people: 0, active: 0, live: 0 };
  for (const { id, stats } of applications) {
    sum.people += stats.totalUsers;
    sum.active += stats.activeUsers;
    sum.live += live.get(id) ?? 0;
  }
  return sum;
}
