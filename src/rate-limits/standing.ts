import { second } from "../lib/clock.ts";

/** Where a caller stands in its minute. `resetAt` is Unix time in seconds. */
export type Standing = {
  limit: number;
  remaining: number;
  resetAt: number;
  exceeded: boolean;
  retryAfterSeconds: number;
};

/** After the caller's `used`-th call in the minute that ends at `endsAt`. */
export function standingAfter(used: number, limit: number, endsAt: number, now: number): Standing {
  return {
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: endsAt / second,
    exceeded: used > limit,
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / second)),
  };
}
