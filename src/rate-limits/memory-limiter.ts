import { createHmac } from "node:crypto";
import { minute, type Clock } from "../lib/clock.ts";
import type { LimitMemory, Who, LimitResult, RateLimiter } from "../lib/rate-limits.ts";
import type { Random } from "../lib/random.ts";
import { Minute, endOfMinute } from "./minute.ts";
import { limitResultAfter } from "./limit-result.ts";

/** Slots. The large levels stay untouched, and take no memory, until the small ones are full. */
const levels = [2 ** 14, 2 ** 17, 2 ** 20];
const slotsOfARegion = levels.reduce((sum, slots) => sum + slots, 0);
const slotBytes = 16;
const maxProbes = 16;
/** The low bits of a slot's two words, a caller's tag and its count; the minute is above them. */
const [tagBits, countBits] = [52n, 20];
const maxCount = 2 ** countBits - 1;
/** Beyond 0, which is an empty slot's. */
const stamps = 2 ** 12 - 1;

export function newLimitMemory(random: Random): LimitMemory {
  return { counters: new SharedArrayBuffer(2 * slotsOfARegion * slotBytes), key: Uint8Array.from(random(32)) };
}

type Place = { slot: number; stamp: number };

/**
 * Counts calls per clock minute for all threads of a process, exactly. A caller's slot is claimed
 * once a minute, by the digest of its name, by which every thread finds it. If no slot is free, a
 * caller shares one.
 */
export class MemoryLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #key: Uint8Array;
  readonly #claims: BigInt64Array;
  readonly #counts: Int32Array;
  readonly #places: Record<Who, Minute<Place>>;

  constructor({ counters, key }: LimitMemory, clock: Clock) {
    this.#clock = clock;
    this.#key = key;
    this.#claims = new BigInt64Array(counters);
    this.#counts = new Int32Array(counters);
    // A flood of strangers takes no slot of a known caller.
    this.#places = {
      known: new Minute((name, endsAt) => this.#placeOf(name, endsAt, 0)),
      stranger: new Minute((name, endsAt) => this.#placeOf(name, endsAt, slotsOfARegion)),
    };
  }

  count(key: string, limit: number, who: Who): LimitResult {
    const now = this.#clock();
    const used = this.#add(this.#places[who].entryOf(key, who, now));
    return limitResultAfter(used, limit, endOfMinute(now), now);
  }

  #add({ slot, stamp }: Place): number {
    const at = slot * 4 + 2;
    for (;;) {
      const seen = Atomics.load(this.#counts, at);
      const stampSeen = seen >>> countBits;
      // The next minute began on another thread within this call.
      if (isNewer(stampSeen, stamp)) return 1;
      const used = stampSeen === stamp ? Math.min((seen & maxCount) + 1, maxCount) : 1;
      if (Atomics.compareExchange(this.#counts, at, seen, (stamp << countBits) | used) === seen) return used;
    }
  }

  #placeOf(name: string, endsAt: number, start: number): Place {
    const stamp = 1 + ((endsAt / minute) % stamps);
    const digest = createHmac("sha256", this.#key).update(`${endsAt} ${name}`).digest();
    const claim = BigInt.asIntN(64, (BigInt(stamp) << tagBits) | BigInt.asUintN(52, digest.readBigUInt64LE(8)));
    const hash = digest.readUInt32LE(0);
    let below = start;
    for (const slots of levels) {
      for (let probe = 0; probe < maxProbes; probe += 1) {
        const slot = below + ((hash + probe) % slots);
        if (this.#claim(slot, claim, stamp)) return { slot, stamp };
      }
      below += slots;
    }
    return { slot: start + (hash % slotsOfARegion), stamp };
  }

  /** Whether the slot is this caller's. No slot is given up within its minute. */
  #claim(slot: number, claim: bigint, stamp: number): boolean {
    const [claimAt, countAt] = [slot * 2, slot * 4 + 2];
    for (;;) {
      // First: a count that is read after another thread's claim would be that thread's.
      const count = Atomics.load(this.#counts, countAt);
      const seen = Atomics.load(this.#claims, claimAt);
      if (seen === claim) return true;
      const stampSeen = Number(BigInt.asUintN(64, seen) >> tagBits);
      if (stampSeen === stamp || isNewer(stampSeen, stamp)) return false;
      // Of 68 hours ago: stamps repeat.
      if (count >>> countBits === stamp) Atomics.compareExchange(this.#counts, countAt, count, 0);
      if (Atomics.compareExchange(this.#claims, claimAt, seen, claim) === seen) return true;
    }
  }
}

/** Whether a slot was used in the minute after. */
function isNewer(stampSeen: number, stamp: number): boolean {
  return stampSeen !== 0 && (stampSeen - stamp + stamps) % stamps === 1;
}
