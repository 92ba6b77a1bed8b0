import { hour, minute, second } from "../../lib/clock.ts";
import { withoutBlanks } from "../../lib/text.ts";
import type { DeliveryAttempt } from "../../storage/column-types.ts";

/** An attempt and the receiver's instructions. */
export type AttemptOutcome = DeliveryAttempt & {
  delivered: boolean;
  /** The receiver is permanently gone (410). */
  gone: boolean;
  /** From `Retry-After`. */
  retryAfterMilliseconds: number | undefined;
};

/**
 * The waits before the second attempt, the third, …: ten attempts in 76 hours (Standard Webhooks
 * 1.0.0; docs/spec/decisions.md, 11).
 */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
const jitter = 0.2;
const longestRetryAfter = 24 * hour;

/**
 * The next attempt after `attempts` failed ones; null after the last. `chance` is from 0 to 1 and
 * spreads deliveries that failed together. A receiver can request a later time, not an earlier one.
 */
export function nextAttemptAt(
  { attempts, retryAfterMilliseconds = 0 }: { attempts: number; retryAfterMilliseconds?: number | undefined },
  chance: number,
  now: number,
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined) return null;
  const spread = Math.round(delay * (1 - jitter + 2 * jitter * chance));
  return now + Math.max(spread, Math.min(retryAfterMilliseconds, longestRetryAfter));
}

/**
 * `Retry-After` in milliseconds: seconds, or a date (RFC 9110 §10.2.3). Undefined if unreadable.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/u.test(withoutBlanks(header))) return Number(header) * second;
  const moment = /^[A-Z][a-z]{2}, /u.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}
