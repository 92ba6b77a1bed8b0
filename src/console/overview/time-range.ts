import { day, hour } from "../../lib/clock.ts";
import type { ActivitySpan } from "../../storage/column-types.ts";

const week = 7 * day;
/** Counts of hours are kept for so long. */
const hoursAreKept = 90 * day;
const lengths = [hour, 6 * hour, day, week, 4 * week, 52 * week];
const maxBars = 60;

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
const weekdayOf = format({ weekday: "short" });
const dayOf = format({ day: "numeric", month: "short" });
const dayOfYear = format({ day: "numeric", month: "short", year: "numeric" });

export const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);

const presets = {
  day: { label: "Day", length: hour, count: 24 },
  week: { label: "Week", length: 6 * hour, count: 28 },
  month: { label: "Month", length: day, count: 30 },
  year: { label: "Year", length: week, count: 53 },
} as const;

export type RangeName = keyof typeof presets;
export const rangeNames = Object.keys(presets) as RangeName[];
export const rangeLabel = (name: RangeName): string => presets[name].label;

/** From a whole UTC hour or day until another one, which is excluded, in bars of one length. */
export type TimeRange = {
  /** Undefined: chosen by its ends. */
  name: RangeName | undefined;
  /** The span of the stored counters to read. */
  span: ActivitySpan;
  from: number;
  to: number;
  length: number;
  count: number;
};

/** The time up to the end of the current bar. */
export function presetRange(name: RangeName, now: number): TimeRange {
  const { length, count } = presets[name];
  // 1970 began on a Thursday.
  const offset = length === week ? 4 * day : 0;
  const to = now - ((now - offset) % length) + length;
  return { name, span: length >= day ? "day" : "hour", from: to - count * length, to, length, count };
}

/** Rounded outwards: to hours, or to UTC days where hours are no longer known or are too many. */
function rangeBetween(from: number, to: number, now: number): TimeRange {
  const outwards = (unit: number) => {
    const [start, end] = [from - (from % unit), Math.ceil(Math.min(to, now + 1) / unit) * unit];
    return { from: start, to: Math.max(end, start + unit) };
  };
  const inHours = outwards(hour);
  const fits = ({ from: start, to: end }: typeof inHours, length: number) => (end - start) / length <= maxBars;
  const hasHours = inHours.from >= now - hoursAreKept && fits(inHours, 6 * hour);
  const ends = hasHours ? inHours : outwards(day);
  const length = lengths.find((each) => (hasHours || each >= day) && fits(ends, each)) ?? 52 * week;
  const span = hasHours ? "hour" : "day";
  return { name: undefined, span, ...ends, length, count: Math.ceil((ends.to - ends.from) / length) };
}

/**
 * The range of an address: `from` and `until` in UTC, or a name. Otherwise what is wrong with it.
 */
export function rangeOf(query: ReadonlyMap<string, string>, now: number): TimeRange | string {
  const [from, until] = [query.get("from") ?? "", query.get("until") ?? ""];
  if (from === "" && until === "") {
    const name = rangeNames.find((each) => each === (query.get("range") ?? "day"));
    return name ? presetRange(name, now) : "range: day, week, month or year";
  }
  const end = until === "" ? now : momentOf(until, day);
  const start = from === "" ? (end ?? now) - day : momentOf(from, 0);
  if (start === undefined) return "From: a date and an hour in UTC, such as 2026-11-20T14:00";
  if (end === undefined) return "Until: a date and an hour in UTC, such as 2026-11-20T15:00";
  if (start >= end) return "Until: later than From";
  return start > now ? "From: not in the future" : rangeBetween(start, end, now);
}

/** A date alone is its start, or with `whole` its end. */
function momentOf(text: string, whole: number): number | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d)?$/u.exec(text) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}${time ?? "T00:00"}Z`);
  // `Date.parse` accepts February 31.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(date ?? "-") || at < 0) return undefined;
  return time === undefined ? at + whole : at;
}

/** As `from` and `until` have it. */
export function inAddress(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}

/** The bar that is not over; undefined if the range is. */
export function unfinishedBar({ from, to, length }: TimeRange, now: number): number | undefined {
  return now < to ? Math.floor((now - from) / length) : undefined;
}

export function barsOf({ from, to, length, count }: TimeRange): { from: number; to: number }[] {
  return Array.from({ length: count }, (_bar, index) => {
    const start = from + index * length;
    return { from: start, to: Math.min(start + length, to) };
  });
}

/** Whether nothing shorter is counted. */
export function isSmallest({ from, to, span }: TimeRange): boolean {
  return to - from === (span === "hour" ? hour : day);
}

/** Of each bar. Hours are UTC here; the script shows them in the browser's zone. */
export function labelsOf(range: TimeRange): string[] {
  return barsOf(range).map(({ from }) => {
    if (range.length < day)
      return range.to - range.from <= day ? timeOf(from) : `${weekdayOf.format(from)} ${timeOf(from)}`;
    return range.to - range.from > 53 * week ? dayOfYear.format(from) : dayOf.format(from);
  });
}

export function axisOf({ length }: TimeRange): string {
  return length === hour ? "Hour" : length < day ? "From" : length === day ? "Day" : "Days from";
}

export function dateOf(at: number): string {
  return dayOfYear.format(at);
}

/** The counts of each bar of the range. */
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

/** So many weeks earlier are the same weekdays and hours. */
export function weeksBack(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / week));
}
