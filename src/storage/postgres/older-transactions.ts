import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../lib/errors.ts";

const pauseMilliseconds = 50;
const maxLooks = 60_000 / pauseMilliseconds;

/**
 * Transactions hold their virtual id until they end. CREATE INDEX CONCURRENTLY waits for the same
 * locks.
 */
const running = `
  SELECT locks.virtualtransaction AS id, locks.pid FROM pg_locks locks JOIN pg_stat_activity activity ON activity.pid = locks.pid
  WHERE locks.locktype = 'virtualxid' AND activity.datname = current_database() AND locks.pid <> pg_backend_pid()`;

/** See `Storage.olderTransactionsEnd`. */
export async function olderTransactionsEnd(
  query: (sql: string) => Promise<{ rows: { id: string; pid: number }[] }>,
): Promise<void> {
  const look = async () => (await query(running)).rows;
  let older = await look();
  for (let looks = 1; older.length > 0; looks += 1) {
    if (looks === maxLooks)
      throw new AppError(
        "CONFLICT",
        `A transaction of the database process ${older[0]?.pid} has been open for a minute; it may be a backup. Run the command again when it has ended.`,
      );
    await sleep(pauseMilliseconds);
    const open = new Set((await look()).map(({ id }) => id));
    older = older.filter(({ id }) => open.has(id));
  }
}
