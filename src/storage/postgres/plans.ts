import type { Pool, PoolClient } from "pg";

/**
 * A connection replans after this many uses. The gap then doubles each time, up to `longestGap`.
 */
const firstGap = 200;
/**
 * Limits how long an outdated plan is used for a table that was emptied and fills again. Planning
 * costs 5 ms.
 */
const longestGap = 800;

/**
 * Makes each connection replan its statements from time to time. PostgreSQL keeps the plan of a
 * prepared statement until the table is analysed, at most once a minute. For an empty table it may
 * pick the wrong index, which then reads all rows of an application (docs/decisions/0026).
 */
export function planAnewNowAndThen(pool: Pool): void {
  const uses = new WeakMap<PoolClient, { left: number; gap: number }>();
  pool.on("acquire", (client) => {
    const { left, gap } = uses.get(client) ?? { left: firstGap, gap: firstGap };
    if (left > 1) return void uses.set(client, { left: left - 1, gap });
    const next = Math.min(2 * gap, longestGap);
    uses.set(client, { left: next, gap: next });
    // Sent before the caller's query. Not repeated for a database that rejects it.
    client.query("DISCARD PLANS").catch(() => uses.set(client, { left: Number.POSITIVE_INFINITY, gap }));
  });
}
