import { minute, second, type Clock } from "../lib/clock.ts";

/** Where a caller stands in its minute. `resetAt` is Unix time in seconds. */
export type Standing = {
  limit: number;
  remaining: number;
  resetAt: number;
  exceeded: boolean;
  retryAfterSeconds: number;
};

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Beyond this many callers in one minute, new ones share a counter: memory stays bounded, and the flood limits itself. */
const mostKeys = 1_000_000;
const overflowKey = "overflow";

/** Counts calls in aligned minutes, in memory. A minute that is over is forgotten whole. */
export function createRateLimiter(clock: Clock) {
  let window = Number.NaN;
  let counts = new Map<string, number>();

  function rollOver(now: number): number {
    const current = Math.floor(now / minute);
    if (current !== window) {
      window = current;
      counts = new Map();
    }
    return (current + 1) * minute;
  }

  return {
    /** Counts one call and says where that leaves the caller; the call that exceeds the limit is counted too. */
    take(key: string, limit: number): Standing {
      const now = clock();
      const windowEnd = rollOver(now);
      const counted = counts.size >= mostKeys && !counts.has(key) ? overflowKey : key;
      const used = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, used);
      return {
        limit,
        remaining: Math.max(0, limit - used),
        resetAt: windowEnd / second,
        exceeded: used > limit,
        retryAfterSeconds: Math.max(1, Math.ceil((windowEnd - now) / second)),
      };
    },
  };
}
