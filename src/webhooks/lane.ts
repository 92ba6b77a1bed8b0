import { minute } from "../lib/clock.ts";
import { leaseLasts, type ClaimedDelivery } from "./deliveries.ts";
import type { AttemptOutcome } from "./delivery.ts";
import { mostConnections } from "./sender.ts";

/** How many at once to a receiver that has just been met. */
const atFirst = 8;
/** A receiver that asks for time gets it for everything that waits for it, but not longer: its next event may be in another mood. */
const longestRest = 10 * minute;
/** Of a receiver that answers faster than that, more is claimed than can be begun, so that none of its connections waits for the database. */
const quickMilliseconds = 500;
const aheadPerConnection = 3;
/** What has not begun in the first part of its lease is given back: the rest is what an attempt may take. */
const begunWithin = leaseLasts / 4;

export type Lane = ReturnType<typeof createLane>;

/** What a process knows of one receiver. Each has a lane of its own, so that a slow one keeps nobody waiting. */
export function createLane() {
  /** How many at once: one more with each success, half after a failure, one when nothing answers. */
  let width = atFirst;
  let restsUntil = 0;
  let isQuick = false;
  let answers = true;

  const lane = {
    underWay: 0,
    /** Whether the outbox may hold something that is due. */
    mayHaveMore: true,
    /** Claimed, not begun. */
    held: [] as ClaimedDelivery[],

    learn(outcome: AttemptOutcome, now: number): void {
      const { delivered, status, durationMilliseconds, retryAfterMilliseconds } = outcome;
      answers = status !== null;
      isQuick = answers && durationMilliseconds < quickMilliseconds;
      if (delivered) width = Math.min(width + 1, mostConnections);
      else width = answers ? Math.ceil(width / 2) : 1;
      if (retryAfterMilliseconds !== undefined) restsUntil = now + Math.min(retryAfterMilliseconds, longestRest);
    },

    mayBegin: (now: number): boolean => lane.underWay < width && restsUntil <= now,

    /** How many more to claim. */
    wants(now: number): number {
      if (restsUntil > now) return 0;
      const ahead = isQuick && width >= atFirst ? width * aheadPerConnection : 0;
      const missing = width + ahead - lane.underWay - lane.held.length;
      // In batches: half of what is held ahead may go before the database is asked again.
      return missing > ahead / 2 || lane.underWay + lane.held.length === 0 ? missing : 0;
    },

    /** What is held and will not begin soon enough: it is for others, or for later. */
    takeUnwanted(now: number): ClaimedDelivery[] {
      if (restsUntil > now) return lane.held.splice(0);
      if (!answers) return lane.held.splice(Math.max(0, width - lane.underWay));
      const stale = lane.held.filter(({ leaseUntil }) => leaseUntil - now < leaseLasts - begunWithin);
      if (stale.length > 0) lane.held = lane.held.filter((claimed) => !stale.includes(claimed));
      return stale;
    },
  };
  return lane;
}
