import { readLiveLogins, type ApplicationStats } from "../../applications/counter-store.ts";
import { day, hour } from "../../lib/clock.ts";
import * as counts from "../../records/activity/activity.ts";
import type { Counted } from "../../records/activity/activity.ts";
import type { Context } from "../../runtime/context.ts";
import type { ActivityEvent } from "../../storage/column-types.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import { unfinishedBar, weeksBack, type TimeRange } from "./time-range.ts";

export type { Counted };

const failures = ["sign-in.failed", "second-factor.failed"] as const satisfies ActivityEvent[];
const shownEvents = ["sign-in", "sign-up", "refusal", ...failures, "active"] as const satisfies ActivityEvent[];

/** Undefined: the whole service. */
type Scope = { appId?: string };
type Period = Pick<TimeRange, "span" | "from" | "to">;

const week = 7 * day;

export async function inRange(ctx: Context, scope: Scope, { span, from, to }: Period): Promise<Counted[]> {
  return await keptIfExpensive(ctx, `activity ${span} ${from} ${to} ${scope.appId ?? ""}`, async () =>
    counts.series(ctx.storage.reader, { ...scope, span, from, to, events: shownEvents }),
  );
}

/** The questions that the page answers. */
export const topics = {
  signIns: ({ event }) => event === "sign-in",
  signUps: ({ event }) => event === "sign-up",
  failures: ({ event }) => failures.some((each) => each === event),
  refusals: ({ event }) => event === "refusal",
  active: ({ event }) => event === "active",
} satisfies Record<string, (counted: Counted) => boolean>;

export type Topic = keyof typeof topics;
export type Totals = Record<Topic, number>;

export function totalsOf(counted: readonly Counted[]): Totals {
  const of = (topic: Topic): number => counted.reduce((sum, each) => sum + (topics[topic](each) ? each.value : 0), 0);
  return {
    signIns: of("signIns"),
    signUps: of("signUps"),
    failures: of("failures"),
    refusals: of("refusals"),
    active: of("active"),
  };
}

export type Before = { weeks: number; totals: Totals };

/**
 * The same weekdays and hours, as many weeks before as the period is long; without what would not
 * be over yet.
 */
export async function before(ctx: Context, scope: Scope, { span, from, to }: Period): Promise<Before> {
  const now = ctx.clock();
  const weeks = weeksBack(to - from);
  const back = weeks * week;
  const until = Math.min(now, to) - back;
  const read = async (period: Period) =>
    (await inRange(ctx, scope, period)).map((each) => upTo(until, each, period.span));
  // A part of a day is made of hours, where they are known.
  const start = until - (until % day);
  const hasHours = span === "day" && until < to - back && start > now - 89 * day;
  const counted = hasHours
    ? [
        ...(await read({ span, from: from - back, to: start })),
        ...(await read({ span: "hour", from: start, to: start + day })),
      ]
    : await read({ span, from: from - back, to: to - back });
  const totals = totalsOf(counted);
  for (const topic of Object.keys(totals) as Topic[]) totals[topic] = Math.round(totals[topic]);
  return { weeks, totals };
}

/** The part of a count that belongs to the time before `until`. */
function upTo(until: number, counted: Counted, span: TimeRange["span"]): Counted {
  const length = span === "hour" ? hour : day;
  return { ...counted, value: counted.value * Math.min(1, Math.max(0, (until - counted.startsAt) / length)) };
}

/** The same for the bar that is not over, which is then fairly compared; undefined if all are. */
export async function beforeUnfinished(ctx: Context, scope: Scope, range: TimeRange): Promise<Before | undefined> {
  const bar = unfinishedBar(range, ctx.clock());
  if (bar === undefined) return undefined;
  const from = range.from + bar * range.length;
  const to = Math.min(from + range.length, range.to);
  // Up to two weeks ago, hours are known.
  return await before(ctx, scope, { span: range.length > week ? "day" : "hour", from, to });
}

export type ActiveUsers = { value: number; isToday: boolean };

/** On a day that is over, of several the mean; today if the range has hardly more than it. */
export async function activeADay(ctx: Context, scope: Scope, { from, to }: Period): Promise<ActiveUsers> {
  const today = ctx.clock() - (ctx.clock() % day);
  const isToday = to > today && from >= today - day;
  const start = isToday ? today : from - (from % day);
  const until = isToday ? today + day : Math.min(Math.ceil(to / day) * day, today);
  const found = await inRange(ctx, scope, { span: "day", from: start, to: until });
  return { value: Math.round(totalsOf(found).active / ((until - start) / day)), isToday };
}

const perApplicationFor = 31 * day;

export type ApplicationActivity = {
  /** Undefined: those of the range. */
  days: number | undefined;
  of: Map<string, { signIns: number; failures: number }>;
};

/**
 * Sign-ins and failed ones of each application. Of more than a month, only the last 30 days: the
 * rows of a year take half a second.
 */
export async function ofEachApplication(ctx: Context, range: TimeRange): Promise<ApplicationActivity> {
  const { span, to } = range;
  const isLong = to - range.from > perApplicationFor;
  const from = isLong ? to - (to % day) - 30 * day : range.from;
  const events = ["sign-in", ...failures] as const;
  const read = async () => {
    const parts = inWholeDays({ span, from, to });
    const each = parts.map((part) => counts.totalsByApplication(ctx.storage.reader, { ...part, events }));
    return (await Promise.all(each)).flat();
  };
  const found = new Map<string, { signIns: number; failures: number }>();
  for (const { appId, event, value } of await keptIfExpensive(ctx, `applications ${span} ${from} ${to}`, read)) {
    const sums = found.get(appId) ?? { signIns: 0, failures: 0 };
    sums[event === "sign-in" ? "signIns" : "failures"] += value;
    found.set(appId, sums);
  }
  return { days: isLong ? 30 : undefined, of: found };
}

/** The same time, of days where they are whole: a row instead of 24. */
function inWholeDays({ span, from, to }: Period): Period[] {
  const [start, end] = [Math.ceil(from / day) * day, to - (to % day)];
  if (span === "day" || start >= end) return [{ span, from, to }];
  return [
    { span, from, to: start },
    { span: "day", from: start, to: end },
    { span, from: end, to },
  ];
}

export type Deliveries = Record<"delivered" | "failed" | "sent" | "notSent" | "dropped", number>;

/** Attempts of webhooks and mails. */
export async function deliveries(ctx: Context, scope: Scope, { span, from, to }: Period): Promise<Deliveries> {
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
