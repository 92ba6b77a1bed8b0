import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { second } from "../../lib/clock.ts";
import { onConnection } from "./deadline.ts";

/** Below the two seconds after which a load balancer gives up. */
const maxMillisecondsWaited = 1.5 * second;
/** The limit for the query itself, including a new connection. */
const maxMillisecondsAsked = 6 * second;

/**
 * Throws if the database does not answer within 1.5 s. Concurrent pings share one query. If all
 * connections are busy, an answer to any other query counts.
 */
export function createPing(pool: Pool): () => Promise<void> {
  let answers = 0;
  let asked: Promise<void> | undefined;
  pool.on("release", (error) => {
    if (!error) answers += 1;
  });

  async function ask(): Promise<void> {
    try {
      const deadline = performance.now() + maxMillisecondsAsked;
      await onConnection(
        pool,
        deadline,
        async (client) => await client.query("SELECT 1"),
        () => false,
      );
    } finally {
      asked = undefined;
    }
  }

  return async () => {
    const before = answers;
    asked ??= ask();
    const late = sleep(maxMillisecondsWaited, undefined, { ref: false }).then(async () => {
      // If this process caused the delay, the answer is read in this turn.
      await nextTurn();
      if (answers === before) throw new Error("PostgreSQL did not respond in time");
    });
    await Promise.race([asked, late]);
  };
}
