import type { Client } from "pg";
import { expect } from "vitest";

/** Waits until so many connections to this database on PostgreSQL wait for a lock. */
export async function untilWaiting(other: Client, many: number): Promise<void> {
  const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const waiting = async () => {
    // Within a transaction PostgreSQL would go on showing the connections that there were at first.
    await other.query("SELECT pg_stat_clear_snapshot()");
    return (await other.query(waits)).rowCount;
  };
  await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(many);
}

/** No transaction on this database has been ended for a deadlock so far. Restarts the service. */
export async function expectNoDeadlock(other: Client, restart: () => Promise<void>): Promise<void> {
  const { rows } = await other.query<{ started: string }>("SELECT now() AS started");
  await restart();
  // What a connection has counted is told when it ends, at the latest.
  const left = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_start < $1";
  await expect.poll(async () => (await other.query(left, [rows[0]?.started])).rowCount, { timeout: 60_000 }).toBe(1);
  const counted = await other.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  expect(counted.rows).toEqual([{ deadlocks: "0" }]);
}
