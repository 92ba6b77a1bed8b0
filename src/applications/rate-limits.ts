import type { RateLimits } from "../http/route.ts";
import { second, type Clock } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import { findApplication } from "./store.ts";

/** A change of an application's limits counts for its users after so long; for its own calls at once. */
const knownFor = second;

/**
 * The limits that an application has of its own, for calls that are counted by user: the only thing that such a call needs of its application,
 * and not worth a query each time. Holds one entry for each application that is asked about.
 */
export function createRateLimitsOf({ storage, clock }: { storage: Storage; clock: Clock }) {
  const known = new Map<string, { limits: RateLimits; readAt: number }>();

  async function read(appId: string): Promise<RateLimits> {
    const readAt = clock();
    const limits = (await findApplication(storage.reader, appId))?.settings.rateLimits ?? {};
    known.set(appId, { limits, readAt });
    return limits;
  }

  return (appId: string): RateLimits | Promise<RateLimits> => {
    const found = known.get(appId);
    return found && Math.abs(clock() - found.readAt) < knownFor ? found.limits : read(appId);
  };
}
