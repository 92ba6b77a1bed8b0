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

/**
 * What a process knows about one receiver. Each has its own lane, so that a slow one does not delay
 * others.
 */
export class Lane {
  underWay = 0;
  /** Whether the outbox may have due deliveries. */
  mayHaveMore = true;
  /** Claimed but not started. */
  claimed: ClaimedDelivery[] = [];
  /**
   * Parallel attempts: one more with each success, half after a failure, one if nothing answers.
   */
  #width = atFirst;
  #restsUntil = 0;
  #isQuick = false;
  #answers = true;

  learn(outcome: AttemptOutcome, now: number): void {
    const { delivered, status, durationMilliseconds, retryAfterMilliseconds } = outcome;
    this.#answers = status !== null;
    this.#isQuick = this.#answers && durationMilliseconds < quickMilliseconds;
    if (delivered) this.#width = Math.min(this.#width + 1, maxConnections);
    else this.#width = this.#answers ? Math.ceil(this.#width / 2) : 1;
    if (retryAfterMilliseconds !== undefined) this.#restsUntil = now + Math.min(retryAfterMilliseconds, longestRest);
  }

  mayBegin(now: number): boolean {
    return this.underWay < this.#width && !this.#rests(now);
  }

  /** How many more to claim. */
  wants(now: number): number {
    if (this.#rests(now)) return 0;
    const ahead = this.#isQuick && this.#width >= atFirst ? this.#width * aheadPerConnection : 0;
    const missing = this.#width + ahead - this.underWay - this.claimed.length;
    // In batches: half of the reserve may be used before the database is asked again.
    return missing > ahead / 2 || this.underWay + this.claimed.length === 0 ? missing : 0;
  }

  /** Removes claimed deliveries that will not start soon enough, to be returned. */
  removeUnwanted(now: number): ClaimedDelivery[] {
    if (this.#rests(now)) return this.claimed.splice(0);
    if (!this.#answers) return this.claimed.splice(Math.max(0, this.#width - this.underWay));
    const stale = this.claimed.filter(({ leaseUntil }) => leaseUntil - now < leaseLasts - begunWithin);
    if (stale.length > 0) this.claimed = this.claimed.filter((claimed) => !stale.includes(claimed));
    return stale;
  }

  /** Limited to the longest rest, in case the clock was changed. */
  #rests(now: number): boolean {
    return this.#restsUntil > now && this.#restsUntil <= now + longestRest;
  }
}
