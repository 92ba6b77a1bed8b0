import { isOnRealDay } from "./clock.ts";
import { parseDuration } from "./durations.ts";

const instantForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/u;

/** How to write a moment. */
export const momentRule = "a time span (24h, 7d) or a time such as 2026-11-20T10:00:00Z";

/**
 * Epoch milliseconds of a duration before `now`, or of an ISO 8601 date (UTC) or instant; undefined
 * for anything else.
 */
export function parseMoment(text: string, now: number): number | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const instant = instantForm.test(text) && isOnRealDay(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
