import { day, hour } from "../../lib/clock.ts";
import type { ActivitySpan } from "../../storage/column-types.ts";

const hourOf = (iso: string): string => iso.slice(11, 16);
const dayOf = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const weekdayOf = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

const weekday = (at: number): string => weekdayOf.format(at);

type Plan = {
  label: string;
  /** The span of the stored counters to read. */
  span: ActivitySpan;
  length: number;
  count: number;
  /** The start of the first period after 1970: a Thursday. */
  offset: number;
  axis: string;
  labelOf(at: number): string;
};

const plans = {
  day: {
    label: "Day",
    span: "hour",
    length: hour,
    count: 24,
    offset: 0,
    axis: "Hour",
    labelOf: (at) => hourOf(new Date(at).toISOString()),
  },
  week: {
    label: "Week",
    span: "hour",
    length: 6 * hour,
    count: 28,
    offset: 0,
    axis: "From",
    labelOf: (at) => `${weekday(at)} ${hourOf(new Date(at).toISOString())}`,
  },
  month: {
    label: "Month",
    span: "day",
    length: day,
    count: 30,
    offset: 0,
    axis: "Day",
    labelOf: (at) => dayOf.format(at),
  },
  year: {
    label: "Year",
    span: "day",
    length: 7 * day,
    count: 53,
    offset: 4 * day,
    axis: "Week from",
    labelOf: (at) => dayOf.format(at),
  },
} satisfies Record<string, Plan>;

export type RangeName = keyof typeof plans;
export const rangeNames = Object.keys(plans) as RangeName[];
export const rangeLabel = (name: RangeName): string => plans[name].label;

/** The time up to the end of the current period, in UTC. `to` is excluded. */
export type TimeRange = Omit<Plan, "offset" | "label"> & { name: RangeName; from: number; to: number };

export function timeRange(name: RangeName, now: number): TimeRange {
  return rangeOf(name, plans[name], now);
}

/** The same in whole days or weeks, and at least seven days. */
export function dailyRange(name: RangeName, now: number): TimeRange {
  const plan = plans[name];
  return rangeOf(name, plan.span === "day" ? plan : { ...plans.month, count: 7 }, now);
}

function rangeOf(name: RangeName, { offset, label: _label, ...plan }: Plan, now: number): TimeRange {
  const to = now - ((now - offset) % plan.length) + plan.length;
  return { ...plan, name, from: to - plan.count * plan.length, to };
}

export function labelsOf({ from, length, count, labelOf }: TimeRange): string[] {
  return Array.from({ length: count }, (_period, index) => labelOf(from + index * length));
}

/** The counts of each period of the range. */
export function valuesIn(
  { from, length, count }: Pick<TimeRange, "from" | "length" | "count">,
  counted: readonly { startsAt: number; value: number }[],
): number[] {
  const values = Array.from({ length: count }, () => 0);
  for (const { startsAt, value } of counted) {
    const index = Math.floor((startsAt - from) / length);
    if (index >= 0 && index < count) values[index] = (values[index] ?? 0) + value;
  }
  return values;
}

/** The counts from the start of a UTC day until `now`, with a part of the current hour's. */
export function soFar(counted: readonly { startsAt: number; value: number }[], now: number): number {
  const start = now - (now % day);
  const sum = counted.reduce((total, { startsAt, value }) => {
    const share = Math.min(1, Math.max(0, (now - startsAt) / hour));
    return startsAt < start ? total : total + value * share;
  }, 0);
  return Math.round(sum);
}
