import { day, hour, minute } from "../../lib/clock.ts";

/**
 * "20 Nov 2026" in the given language. A day in UTC, because the reader's time zone is unknown.
 */
export function dayOf(epochMilliseconds: number, lang: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeZone: "UTC" }).format(epochMilliseconds);
}

/** "20 Nov 2026, 19:10 UTC" in the given language; in UTC like `dayOf`. */
export function momentOf(epochMilliseconds: number, lang: string, month: "short" | "long" = "short"): string {
  return new Intl.DateTimeFormat(lang, {
    year: "numeric",
    month,
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(epochMilliseconds);
}

/** "now", "5 minutes ago"; the day if it was a week ago or more. */
export function ago(epochMilliseconds: number, now: number, lang: string): string {
  const passed = Math.max(0, now - epochMilliseconds);
  if (passed >= 7 * day) return dayOf(epochMilliseconds, lang);
  const words = new Intl.RelativeTimeFormat(lang, { numeric: passed < minute ? "auto" : "always" });
  if (passed < minute) return words.format(0, "second");
  if (passed < hour) return words.format(-Math.floor(passed / minute), "minute");
  return passed < day
    ? words.format(-Math.floor(passed / hour), "hour")
    : words.format(-Math.floor(passed / day), "day");
}
