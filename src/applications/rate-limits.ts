import { second, type Clock } from "../lib/clock.ts";
import type { RateLimits } from "../lib/rate-limits.ts";
import type { Storage } from "../storage/storage.ts";
import { findApplication } from "./store.ts";

/**
 * How long limits are cached for calls counted by user. An application's own calls use the current
 * ones.
 */
const knownFor = second;

/**
 * The applications' own limits, for calls counted by user. Cached, because such calls need nothing
 * else of their application. One entry per requested application.
 */
export function createRateLimitsOf({ storage, clock }: { storage: Storage; clock: Clock }) {
  const known = new Map<string, { limits: RateLimits; readAt: number }>();

  async function read(appId: string): Promise<RateLimits> {
    const readAt = clock();
    const limits = (await findApplication(storage.reader, appId))?.settings.rateLimits ?? {};
    known.set(appId, { limits, readAt });
    return limits;
  }

  return async (appId: string): Promise<RateLimits> => {
    const found = known.get(appId);
    return found && Math.abs(clock() - found.readAt) < knownFor ? found.limits : await read(appId);
  };
}
