import { day, hour, minute } from "../lib/clock.ts";

/** The reader's language and time zone; UTC if it is unknown, as without JavaScript. */
export type Place = { lang: string; timeZone?: string | undefined };

/** "20 Nov 2026". */
export function dayOf(epochMilliseconds: number, { lang, timeZone = "UTC" }: Place): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeZone }).format(epochMilliseconds);
}

/** "20 Nov 2026, 20:10"; with the zone's name if it is not known to be the reader's. */
export function momentOf(epochMilliseconds: number, { lang, timeZone }: Place): string {
  return timeZone === undefined
    ? zonedMomentOf(epochMilliseconds, { lang, timeZone: "UTC" }, "short")
    : new Intl.DateTimeFormat(lang, { ...toTheMinute, month: "short", timeZone }).format(epochMilliseconds);
}

/** "20 November 2026, 20:10 CET", for readers who may be elsewhere. */
export function zonedMomentOf(
  epochMilliseconds: number,
  { lang, timeZone }: Required<Place>,
  month: "short" | "long" = "long",
): string {
  const options = { ...toTheMinute, month, timeZone, timeZoneName: "short" } as const;
  return new Intl.DateTimeFormat(lang, options).format(epochMilliseconds);
}

const toTheMinute = { year: "numeric", day: "numeric", hour: "numeric", minute: "2-digit" } as const;

/** "now", "5 minutes ago"; the day if it was a week ago or more. */
export function ago(epochMilliseconds: number, now: number, place: Place): string {
  const passed = Math.max(0, now - epochMilliseconds);
  if (passed >= 7 * day) return dayOf(epochMilliseconds, place);
  const words = new Intl.RelativeTimeFormat(place.lang, { numeric: passed < minute ? "auto" : "always" });
  if (passed < minute) return words.format(0, "second");
  if (passed < hour) return words.format(-Math.floor(passed / minute), "minute");
  return passed < day
    ? words.format(-Math.floor(passed / hour), "hour")
    : words.format(-Math.floor(passed / day), "day");
}
