import { minute } from "../../lib/clock.ts";
import type { ClaimedDelivery } from "./deliveries.ts";
import { leaseLasts } from "./delivery-store.ts";
import type { AttemptOutcome } from "./delivery.ts";
import { maxConnections } from "./sender.ts";

/** The initial number of parallel attempts for a receiver. */
const atFirst = 8;
/**
 * A receiver's Retry-After applies to everything that waits for it, but at most for this long:
 * later events may succeed.
 */
const longestRest = 10 * minute;
/**
 * For receivers that answer faster than this, more is claimed than can be started, so that no
 * connection waits for the database.
 */
const quickMilliseconds = 500;
const aheadPerConnection = 3;
/**
 * Deliveries not started in the first part of their lease are returned; the rest is the time for an
 * attempt.
 */
const begunWithin = leaseLasts / 4;

export type Lane = ReturnType<typeof createLane>;

/**
 * What a process knows about one receiver. Each has its own lane, so that a slow one does not delay
 * others.
 */
export function createLane() {
  /**
   * Parallel attempts: one more with each success, half after a failure, one if nothing answers.
   */
  let width = atFirst;
  let restsUntil = 0;
  let isQuick = false;
  let answers = true;

  /** Limited to the longest rest, in case the clock was changed. */
  const rests = (now: number): boolean => restsUntil > now && restsUntil <= now + longestRest;

  const lane = {
    underWay: 0,
    /** Whether the outbox may have due deliveries. */
    mayHaveMore: true,
    /** Claimed but not started. */
    claimed: [] as ClaimedDelivery[],

    learn(outcome: AttemptOutcome, now: number): void {
      const { delivered, status, durationMilliseconds, retryAfterMilliseconds } = outcome;
      answers = status !== null;
      isQuick = answers && durationMilliseconds < quickMilliseconds;
      if (delivered) width = Math.min(width + 1, maxConnections);
      else width = answers ? Math.ceil(width / 2) : 1;
      if (retryAfterMilliseconds !== undefined) restsUntil = now + Math.min(retryAfterMilliseconds, longestRest);
    },

    mayBegin: (now: number): boolean => lane.underWay < width && !rests(now),

    /** How many more to claim. */
    wants(now: number): number {
      if (rests(now)) return 0;
      const ahead = isQuick && width >= atFirst ? width * aheadPerConnection : 0;
      const missing = width + ahead - lane.underWay - lane.claimed.length;
      // In batches: half of the reserve may be used before the database is asked again.
      return missing > ahead / 2 || lane.underWay + lane.claimed.length === 0 ? missing : 0;
    },

    /** Removes claimed deliveries that will not start soon enough, to be returned. */
    removeUnwanted(now: number): ClaimedDelivery[] {
      if (rests(now)) return lane.claimed.splice(0);
      if (!answers) return lane.claimed.splice(Math.max(0, width - lane.underWay));
      const stale = lane.claimed.filter(({ leaseUntil }) => leaseUntil - now < leaseLasts - begunWithin);
      if (stale.length > 0) lane.claimed = lane.claimed.filter((claimed) => !stale.includes(claimed));
      return stale;
    },
  };
  return lane;
}
