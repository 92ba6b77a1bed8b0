import { minute, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { createLocalLimiter, type RateLimiter } from "./limiter.ts";
import { endOfMinute } from "./minute.ts";
import { createSharedLimiter } from "./shared.ts";
import { standingAfter, type Standing } from "./standing.ts";
import { addToCount, addToCounts, sweepCounts } from "./store.ts";

/** Nodes' clocks differ. */
const minutesAreKept = 5 * minute;

export type RateLimits = ReturnType<typeof createRateLimits>;
export type Attempts = ReturnType<RateLimits["attempts"]>;

/** The limits of calls, and of attempts at what is dear or dangerous. */
export function createRateLimits(deps: { storage: Storage; keyring: Keyring; clock: Clock }) {
  const { storage, keyring, clock } = deps;

  /** Of the minute as well, so that a count is never taken for another minute's; keyed, because an address can be guessed from its digest. */
  function digestOf(key: string, endsAt: number): string {
    return keyring.mac("limits", key, String(endsAt)).toString("base64url");
  }

  // SQLite is one process's, which has nobody to share with.
  const limiter: RateLimiter =
    storage.dialect === "sqlite"
      ? createLocalLimiter(clock)
      : createSharedLimiter({
          // The pool: a statement alone is a transaction of its own, without BEGIN and COMMIT on the way of every call.
          addToCounts: (counts) => addToCounts(storage.reader, counts),
          digestOf,
          clock,
        });

  return {
    limiter,

    /** Attempts a minute by network, kept in the database of either kind: they outlive a restart, and all nodes share them. */
    attempts(name: string, perMinute: number) {
      const front = createLocalLimiter(clock);
      return {
        /**
         * In memory, for what comes before anything dear: a network gets no further than this node's share of the limit, however fast it tries.
         * Throws RATE_LIMITED.
         */
        admit(network: string): void {
          refuseExceeded(front.take(`${name} ${network}`, perMinute, "stranger"));
        },

        /** Counts an attempt for good. Not thrown within the transaction, or nothing would be counted: hand it to `refuseExceeded` afterwards. */
        async count(tx: Handle, network: string): Promise<Standing> {
          const now = clock();
          const endsAt = endOfMinute(now);
          const used = await addToCount(tx, { digest: digestOf(`${name} ${network}`, endsAt), endsAt, used: 1 });
          return standingAfter(used, perMinute, endsAt, now);
        },

        refuseExceeded,
      };
    },

    /** Forgets a batch of minutes that are over; true when more may be left. */
    async sweep(): Promise<boolean> {
      const endedBefore = clock() - minutesAreKept;
      return await storage.write((tx) => sweepCounts(tx, endedBefore));
    },
  };
}

function refuseExceeded({ exceeded, retryAfterSeconds }: Standing): void {
  if (exceeded) throw new AppError("RATE_LIMITED", "Too many tries.", { retryAfterSeconds, details: "too many tries" });
}
