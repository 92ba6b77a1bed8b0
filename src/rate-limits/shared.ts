import { second, type Clock } from "../lib/clock.ts";
import type { RateLimiter, Who, LimitResult } from "../lib/rate-limits.ts";
import { writeProblemOf } from "../storage/errors/write-problem.ts";
import type { Count } from "./store.ts";
import { Minute } from "./minute.ts";
import { limitResultAfter } from "./limit-result.ts";

type Waiting = { resolve(limitResult: LimitResult): void; reject(error: unknown): void };

type Caller = {
  key: string;
  endsAt: number;
  digest: string | undefined;
  limit: number;
  /** Calls of the limit that nodes have reserved, as far as this node knows. */
  setAside: number;
  /** The reserved calls of this node that are not used yet. */
  left: number;
  /** Calls used while the database could not be written; added to it as soon as possible. */
  owed: number;
  waiting: Waiting[] | undefined;
};

/**
 * A node reserves the limit divided by this at a time: one call of the contract's limits, a
 * thousand of a limit of a million.
 */
const shareOfLimit = 1000;
const maxRows = 1000;
/** How long calls are counted locally before the database is tried again. */
const countsAloneFor = second;

/**
 * Counts calls per clock minute for all nodes together, never more than the limit in total. Calls
 * are reserved in the database before they are used; requests that arrive during a statement are in
 * the next one. `addToCounts` adds to counts and returns them. While the database can be read but
 * not written, each node counts alone, from its last known state and with the same limit
 * (docs/decisions/0038). Its counts are added when writes work again.
 */
export function createSharedLimiter(deps: {
  addToCounts(counts: Count[]): Promise<Map<string, number>>;
  digestOf(key: string, endsAt: number): string;
  clock: Clock;
}): RateLimiter {
  const { addToCounts, digestOf, clock } = deps;
  const callers = new Minute<Caller>((key, endsAt) => ({
    key,
    endsAt,
    digest: undefined,
    limit: 0,
    setAside: 0,
    left: 0,
    owed: 0,
    waiting: undefined,
  }));
  let aloneUntil = Number.NEGATIVE_INFINITY;
  const owing = new Set<Caller>();
  let owingEndsAt = Number.NaN;
  let asking: Caller[] = [];
  let isRunning = false;

  /**
   * Answers without a query: from a reserved call, or if the minute is used up, so repeated
   * refusals cost no write.
   */
  function atHand(caller: Caller, now: number): LimitResult | undefined {
    const { limit, endsAt, setAside, owed } = caller;
    if (caller.left > 0) {
      caller.left -= 1;
      return limitResultAfter(setAside - caller.left, limit, endsAt, now);
    }
    if (setAside + owed >= limit) return limitResultAfter(limit + 1, limit, endsAt, now);
    return performance.now() < aloneUntil ? countAlone(caller, now) : undefined;
  }

  function countAlone(caller: Caller, now: number): LimitResult {
    const { limit, endsAt, setAside } = caller;
    // Refused calls are not owed, because they use none of the shared limit.
    if (setAside + caller.owed >= limit) return limitResultAfter(limit + 1, limit, endsAt, now);
    caller.owed += 1;
    owes(caller);
    return limitResultAfter(setAside + caller.owed, limit, endsAt, now);
  }

  /** Debts of an ended minute are irrelevant. */
  function owes(caller: Caller): void {
    if (caller.endsAt !== owingEndsAt) owing.clear();
    owingEndsAt = caller.endsAt;
    owing.add(caller);
  }

  function order(caller: Caller) {
    const { key, endsAt, limit, owed } = caller;
    caller.digest ??= digestOf(key, endsAt);
    const waiting = caller.waiting ?? [];
    caller.waiting = undefined;
    const points = Math.min(limit, Math.max(waiting.length, Math.floor(limit / shareOfLimit)));
    return { caller, limit, waiting, points, owed, count: { digest: caller.digest, endsAt, used: points + owed } };
  }

  function handOut({ caller, limit, waiting, points, owed, count }: ReturnType<typeof order>, used: number): void {
    const now = clock();
    caller.owed -= owed;
    const before = used - points;
    const granted = Math.min(Math.max(limit - before, 0), points);
    // If the limit changed within the minute, calls reserved under the old one are not used.
    if (caller.limit === limit) {
      caller.setAside = Math.min(used, limit);
      caller.left = Math.max(0, granted - waiting.length);
    }
    for (const [position, { resolve }] of waiting.entries())
      resolve(limitResultAfter(position < granted ? before + position + 1 : limit + 1, limit, count.endsAt, now));
  }

  async function ask(batch: Caller[]): Promise<void> {
    const orders = batch.map(order);
    try {
      const used = await addToCounts(orders.map(({ count }) => count));
      for (const each of orders) handOut(each, used.get(each.count.digest) ?? Number.POSITIVE_INFINITY);
      settleDebts();
    } catch (error) {
      // Requests that arrived since then fail too: with a hanging database they would wait just as
      // long.
      const unasked = asking.map(order);
      asking = [];
      const canBeRead = writeProblemOf(error) !== undefined;
      if (canBeRead) aloneUntil = performance.now() + countsAloneFor;
      const now = clock();
      for (const { caller, waiting } of [...orders, ...unasked]) {
        if (caller.owed > 0) owes(caller);
        for (const { resolve, reject } of waiting) {
          if (canBeRead) resolve(countAlone(caller, now));
          // Fail closed: a call that cannot be counted is not answered.
          else reject(error);
        }
      }
    }
  }

  /**
   * After a successful statement: adds debts to the next one, also of callers without a current
   * request.
   */
  function settleDebts(): void {
    for (const caller of owing) {
      if (caller.owed > 0 && caller.waiting === undefined) {
        caller.waiting = [];
        asking.push(caller);
      }
    }
    owing.clear();
  }

  async function run(): Promise<void> {
    while (asking.length > 0) {
      const batch = asking.slice(0, maxRows);
      asking = asking.slice(maxRows);
      await ask(batch);
    }
    isRunning = false;
  }

  return {
    count(key: string, limit: number, who: Who) {
      const now = clock();
      const caller = callers.entryOf(key, who, now);
      if (caller.limit !== limit) Object.assign(caller, { limit, setAside: 0, left: 0 });
      const limitResult = atHand(caller, now);
      if (limitResult) return limitResult;
      return new Promise<LimitResult>((resolve, reject) => {
        if (caller.waiting === undefined) {
          caller.waiting = [];
          asking.push(caller);
        }
        caller.waiting.push({ resolve, reject });
        if (isRunning) return;
        isRunning = true;
        // At the end of the turn, so that concurrent requests share a statement.
        setImmediate(() => void run());
      });
    },
  };
}
