import type { Pool, PoolClient } from "pg";

/** Of one connection, between two times. Each of its statements then takes 0.1 to 0.2 ms more, once. */
const uses = 200;

/**
 * Lets each connection plan its statements anew now and then. PostgreSQL keeps the plan of a prepared statement until its table is analysed,
 * which autovacuum does once a minute at most; to a table without rows any index is as good as the one of the key, and a burst into a quiet
 * database was served by plans that read a whole application's rows to find one (docs/decisions/0026-hot-paths.md).
 */
export function planAnewNowAndThen(pool: Pool): void {
  const used = new WeakMap<PoolClient, number>();
  pool.on("acquire", (client) => {
    const times = (used.get(client) ?? 0) + 1;
    used.set(client, times);
    // On its way before what the connection was asked for. A database that knows no such thing is told no more.
    if (times % uses === 0) client.query("DISCARD PLANS").catch(() => used.set(client, Number.NaN));
  });
}
