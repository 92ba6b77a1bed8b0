import type { Clock } from "../lib/clock.ts";
import type { Who, LimitResult, RateLimiter } from "../lib/rate-limits.ts";
import { createMinute, endOfMinute } from "./minute.ts";
import { limitResultAfter } from "./limit-result.ts";

/** Counts calls per clock minute in the memory of one process. */
export function createLocalLimiter(clock: Clock) {
  const callers = createMinute(() => ({ used: 0 }));
  return {
    count(key: string, limit: number, who: Who): LimitResult {
      const now = clock();
      const caller = callers.entryOf(key, who, now);
      caller.used += 1;
      return limitResultAfter(caller.used, limit, endOfMinute(now), now);
    },
  } satisfies RateLimiter;
}
