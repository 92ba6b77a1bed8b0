import { minute } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { RateLimiter, LimitResult } from "../lib/rate-limits.ts";
import { part, type Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { limitResultAfter } from "./limit-result.ts";
import { LocalLimiter } from "./limiter.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import { Minute, endOfMinute } from "./minute.ts";
import { createSharedLimiter } from "./shared.ts";
import { addToCount, addToCounts, findCount, giveBackToCount, sweepCounts } from "./store.ts";

/** Nodes' clocks differ. */
const minutesAreKept = 5 * minute;

/** Limits the parallel attempts of one network, which may be an office that signs in at once. */
const maxRunningPerLimit = 5;

/** One attempt from one network. */
export type Attempt = {
  /**
   * Counts the attempt. Pass the result to `refuseExceeded` after the transaction: a throw would
   * undo the count.
   */
  count(tx: Handle): Promise<LimitResult>;
  /** Removes the count, in the transaction of a success. */
  giveBack(tx: Handle): Promise<void>;
  /** Remembers a failure on this node, without a query. */
  fail(): void;
  end(): void;
};

export type RateLimits = ReturnType<typeof openRateLimits>;
/** Limits calls, and attempts at expensive or dangerous operations. */
export const rateLimits = part(openRateLimits);

function openRateLimits(ctx: Context) {
  /**
   * Includes the minute, so that a count never applies to another one. Keyed, because an address
   * could be guessed from a plain digest.
   */
  function digestOf(key: string, endsAt: number): string {
    return ctx.keyring.mac("limits", key, String(endsAt)).toString("base64url");
  }

  const limiter: RateLimiter = ctx.storage.isShared
    ? createSharedLimiter({
        addToCounts: async (counts) => await ctx.storage.writeOne((handle) => addToCounts(handle, counts)),
        digestOf,
        clock: ctx.clock,
      })
    : ctx.limitMemory
      ? new MemoryLimiter(ctx.limitMemory, ctx.clock)
      : new LocalLimiter(ctx.clock);

  return {
    limiter,

    /**
     * Failed attempts per minute and network, in the database, so that they survive restarts and
     * are shared by all nodes. An attempt counts from its start, which limits parallel ones; a
     * success removes its count.
     */
    attempts(name: string, perMinute: number) {
      const front = new Minute(() => ({ failed: 0, running: 0 }));

      return {
        /**
         * Checked in memory before anything expensive, so a network costs at most this node's share
         * of the limit and a burst. Throws RATE_LIMITED. End the attempt.
         */
        admit(network: string): Attempt {
          const startedAt = ctx.clock();
          const entry = front.entryOf(`${name} ${network}`, "stranger", startedAt);
          if (entry.failed >= perMinute || entry.running >= perMinute * maxRunningPerLimit)
            refuseExceeded(limitResultAfter(perMinute + 1, perMinute, endOfMinute(startedAt), startedAt));
          entry.running += 1;
          let hasFailed = false;
          const endsAt = endOfMinute(startedAt);
          const digest = digestOf(`${name} ${network}`, endsAt);
          return {
            async count(tx) {
              const total = await addToCount(tx, { digest, endsAt, used: 1 });
              return limitResultAfter(total, perMinute, endsAt, startedAt);
            },
            giveBack: async (tx) => await giveBackToCount(tx, digest),
            fail() {
              hasFailed = true;
            },
            end() {
              entry.running -= 1;
              if (hasFailed) entry.failed += 1;
            },
          };
        },

        /** Whether an attempt from this network would be refused now; counts none. */
        async wouldExceed(network: string): Promise<LimitResult> {
          const now = ctx.clock();
          const endsAt = endOfMinute(now);
          const used = await findCount(ctx.storage.reader, digestOf(`${name} ${network}`, endsAt));
          return limitResultAfter(used + 1, perMinute, endsAt, now);
        },

        refuseExceeded,
      };
    },

    /**
     * Counts a use of something until it ends, on all nodes, and returns how often it was used: 1
     * is the first time.
     */
    async use(tx: Handle, key: string, endsAt: number): Promise<number> {
      return await addToCount(tx, { digest: digestOf(key, endsAt), endsAt, used: 1 });
    },

    /** Removes a batch of ended minutes; true if more may be left. */
    async sweep(): Promise<boolean> {
      const endedBefore = ctx.clock() - minutesAreKept;
      return await ctx.storage.write((tx) => sweepCounts(tx, endedBefore));
    },
  };
}

function refuseExceeded({ exceeded, retryAfterSeconds }: LimitResult): void {
  if (exceeded)
    throw new AppError("RATE_LIMITED", "Too many attempts.", { retryAfterSeconds, details: "too many attempts" });
}
