import type { Clock } from "../lib/clock.ts";
import type { Who, LimitResult, RateLimiter } from "../lib/rate-limits.ts";
import { Minute, endOfMinute } from "./minute.ts";
import { limitResultAfter } from "./limit-result.ts";

/** Counts calls per clock minute in the memory of one process. */
export class LocalLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #callers = new Minute(() => ({ used: 0 }));

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(key: string, limit: number, who: Who): LimitResult {
    const now = this.#clock();
    const caller = this.#callers.entryOf(key, who, now);
    caller.used += 1;
    return limitResultAfter(caller.used, limit, endOfMinute(now), now);
  }
}
