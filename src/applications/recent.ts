import { second, type Clock } from "../lib/clock.ts";
import type { RateLimits } from "../lib/rate-limits.ts";
import type { ApplicationClaim } from "../storage/column-types.ts";
import type { Storage } from "../storage/storage.ts";
import { findApplication } from "./store.ts";

/** How long an application is cached for calls of its users. Its own calls use the current one. */
const knownFor = second;

/** What a call of a user needs of its application. */
type Known = { limits: RateLimits; claims: ApplicationClaim[] | null };

/**
 * Applications as of at most a second ago. Cached, because the calls of users need nothing else of
 * their application. One entry per requested application.
 */
export function createRecentApplications({ storage, clock }: { storage: Storage; clock: Clock }) {
  const known = new Map<string, Known & { readAt: number }>();

  async function read(appId: string): Promise<Known> {
    const readAt = clock();
    const application = await findApplication(storage.reader, appId);
    const found = { limits: application?.settings.rateLimits ?? {}, claims: application?.claims ?? null };
    known.set(appId, { ...found, readAt });
    return found;
  }

  function find(appId: string): Known | Promise<Known> {
    const found = known.get(appId);
    return found && Math.abs(clock() - found.readAt) < knownFor ? found : read(appId);
  }

  return {
    /** The application's own limits. */
    rateLimits: async (appId: string): Promise<RateLimits> => (await find(appId)).limits,

    /** The claims that the application adds to its tokens. */
    claims(appId: string): ApplicationClaim[] | null | Promise<ApplicationClaim[] | null> {
      const found = find(appId);
      return found instanceof Promise ? found.then(({ claims }) => claims) : found.claims;
    },
  };
}
