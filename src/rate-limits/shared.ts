import type { Clock } from "../lib/clock.ts";
import type { Count } from "./store.ts";
import type { RateLimiter } from "./limiter.ts";
import { createMinute, type Who } from "./minute.ts";
import { standingAfter, type Standing } from "./standing.ts";

type Waiting = { resolve(standing: Standing): void; reject(error: unknown): void };

type Caller = {
  key: string;
  endsAt: number;
  digest: string | undefined;
  limit: number;
  /** Points of the limit that some node has set aside, as far as this one knows. */
  setAside: number;
  /** Those of them that are this node's and not used yet. */
  left: number;
  waiting: Waiting[] | undefined;
};

/** A node sets aside so much of a limit at a time: the contract's limits one by one, a limit of a million a thousand at a time. */
const shareOfLimit = 1000;
const mostRows = 1000;

/**
 * Counts calls in aligned minutes for all nodes together, never more than the limit in total. Points are set aside in the database before they are
 * used; what is asked for while one statement runs goes into the next. `addToCounts` adds and answers what each count is then.
 */
export function createSharedLimiter(deps: {
  addToCounts(counts: Count[]): Promise<Map<string, number>>;
  digestOf(key: string, endsAt: number): string;
  clock: Clock;
}): RateLimiter {
  const { addToCounts, digestOf, clock } = deps;
  const callers = createMinute<Caller>((key, endsAt) => ({
    key,
    endsAt,
    digest: undefined,
    limit: 0,
    setAside: 0,
    left: 0,
    waiting: undefined,
  }));
  let asking: Caller[] = [];
  let isRunning = false;

  /** What needs no question: a point of our own, or a minute that is used up, which costs no write however often it is tried. */
  function atHand(caller: Caller, now: number): Standing | undefined {
    const { limit, endsAt, setAside } = caller;
    if (caller.left > 0) {
      caller.left -= 1;
      return standingAfter(setAside - caller.left, limit, endsAt, now);
    }
    return setAside >= limit ? standingAfter(limit + 1, limit, endsAt, now) : undefined;
  }

  function order(caller: Caller) {
    const { key, endsAt, limit } = caller;
    caller.digest ??= digestOf(key, endsAt);
    const waiting = caller.waiting ?? [];
    caller.waiting = undefined;
    const points = Math.min(limit, Math.max(waiting.length, Math.floor(limit / shareOfLimit)));
    return { caller, limit, waiting, count: { digest: caller.digest, endsAt, used: points } };
  }

  function handOut({ caller, limit, waiting, count }: ReturnType<typeof order>, used: number): void {
    const now = clock();
    const before = used - count.used;
    const granted = Math.min(Math.max(limit - before, 0), count.used);
    // Limits can be changed in the middle of a minute: then what was set aside under the old one is not used.
    if (caller.limit === limit) {
      caller.setAside = Math.min(used, limit);
      caller.left = Math.max(0, granted - waiting.length);
    }
    for (const [position, { resolve }] of waiting.entries())
      resolve(standingAfter(position < granted ? before + position + 1 : limit + 1, limit, count.endsAt, now));
  }

  async function ask(batch: Caller[]): Promise<void> {
    const orders = batch.map(order);
    try {
      const used = await addToCounts(orders.map(({ count }) => count));
      for (const each of orders) handOut(each, used.get(each.count.digest) ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      // Not open: a call that cannot be counted is not answered.
      for (const { waiting } of orders) for (const { reject } of waiting) reject(error);
    }
  }

  async function run(): Promise<void> {
    while (asking.length > 0) {
      const batch = asking.slice(0, mostRows);
      asking = asking.slice(mostRows);
      await ask(batch);
    }
    isRunning = false;
  }

  return {
    take(key: string, limit: number, who: Who) {
      const now = clock();
      const caller = callers.entryOf(key, who, now);
      if (caller.limit !== limit) Object.assign(caller, { limit, setAside: 0, left: 0 });
      const standing = atHand(caller, now);
      if (standing) return standing;
      return new Promise<Standing>((resolve, reject) => {
        if (caller.waiting === undefined) {
          caller.waiting = [];
          asking.push(caller);
        }
        caller.waiting.push({ resolve, reject });
        if (isRunning) return;
        isRunning = true;
        // At the end of the turn: what arrived together is asked for together.
        setImmediate(() => void run());
      });
    },
  };
}
