import { hour } from "../lib/clock.ts";
import type { Storage } from "../storage/storage.ts";
import { recordApiKeyUse } from "./key-store.ts";

export type KeyUses = ReturnType<typeof createKeyUses>;

/**
 * Records the last use of API keys: in memory per process, written at most once an hour per key.
 */
export function createKeyUses({ storage }: { storage: Storage }) {
  let waiting = new Map<string, number>();

  return {
    /** Only for existing keys: strangers must not be able to fill the memory. */
    note(keyDigest: string, now: number): void {
      waiting.set(keyDigest, now);
    },

    /** Writes the recorded uses. Those that fail are retried the next time. */
    async flush(): Promise<void> {
      if (waiting.size === 0) return;
      // In the same order on every node, so that two of them never deadlock.
      const noted = [...waiting].toSorted(([a], [b]) => (a < b ? -1 : 1));
      waiting = new Map();
      try {
        await storage.write(async (tx) => {
          for (const [keyDigest, usedAt] of noted)
            await recordApiKeyUse(tx, { keyDigest, usedAt, notAfter: usedAt - hour });
        });
      } catch (error) {
        waiting = new Map([...noted, ...waiting]);
        throw error;
      }
    },
  };
}
