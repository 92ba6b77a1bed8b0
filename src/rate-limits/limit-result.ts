import { second } from "../lib/clock.ts";
import type { LimitResult } from "../lib/rate-limits.ts";

/** The result after the caller's `used`-th call in the minute that ends at `endsAt`. */
export function limitResultAfter(used: number, limit: number, endsAt: number, now: number): LimitResult {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: endsAt / second,
    exceeded: used > limit,
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / second)),
  };
}
