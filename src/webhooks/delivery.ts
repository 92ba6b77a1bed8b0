import { hour, minute, second } from "../lib/clock.ts";

export type DeliveryStatus =
  /** To be tried, or tried again. */
  | "waiting"
  | "delivered"
  /** A dead letter: given up, until somebody asks for it again. */
  | "failed";

/** What one attempt came to. `at` in epoch milliseconds. */
export type DeliveryAttempt = {
  at: number;
  /** The receiver's HTTP status; null when it gave none. */
  status: number | null;
  durationMilliseconds: number;
  /** Why it does not count as delivered, in a few words of ours; null when it does. */
  error: string | null;
  /** The first KiB of the receiver's answer. */
  response: string;
};

/** An attempt, and what the receiver asked for with it. */
export type AttemptOutcome = DeliveryAttempt & {
  delivered: boolean;
  /** The receiver is gone for good (410). */
  gone: boolean;
  /** From `Retry-After`. */
  retryAfterMilliseconds: number | undefined;
};

/** The wait before the second attempt, the third, …: with the first, which comes at once, ten over 76 hours (Standard Webhooks 1.0.0, as decision 11 has it). */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
const jitter = 0.2;
const longestRetryAfter = 24 * hour;

/**
 * When to try again after `attempts` failed ones, or null when that was the last. `chance` is from 0 to 1 and spreads what failed together.
 * A receiver may ask for a later moment, not for an earlier one.
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

/** `Retry-After` in milliseconds: seconds, or a date (RFC 9110 §10.2.3). Undefined when it says nothing that can be read. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/u.test(header.trim())) return Number(header) * second;
  const moment = /^[A-Z][a-z]{2}, /u.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}
