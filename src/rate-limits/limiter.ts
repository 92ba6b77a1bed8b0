import type { Clock } from "../lib/clock.ts";
import { createMinute, endOfMinute, type Who } from "./minute.ts";
import { standingAfter, type Standing } from "./standing.ts";

export type RateLimiter = {
  /**
   * Counts one call and says where that leaves the caller; the call that exceeds the limit is counted too. At once where this process knows
   * the answer, else by a promise, which rejects when the database that the nodes share does not answer.
   */
  take(key: string, limit: number, who: Who): Standing | Promise<Standing>;
};

/** Counts calls in aligned minutes, in memory: for one process. */
export function createLocalLimiter(clock: Clock) {
  const callers = createMinute(() => ({ used: 0 }));
  return {
    take(key: string, limit: number, who: Who): Standing {
      const now = clock();
      const caller = callers.entryOf(key, who, now);
      caller.used += 1;
      return standingAfter(caller.used, limit, endOfMinute(now), now);
    },
  } satisfies RateLimiter;
}
