import type { Client } from "pg";
import { expect } from "vitest";

/** How many connections to this database on PostgreSQL wait for a lock. */
export async function countWaiting(other: Client): Promise<number> {
  // Within a transaction PostgreSQL would go on showing the connections that there were at first.
  await other.query("SELECT pg_stat_clear_snapshot()");
  const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await other.query(waits)).rowCount ?? 0;
}

/** Waits until so many connections to this database on PostgreSQL wait for a lock. */
export async function untilWaiting(other: Client, many: number): Promise<void> {
  await expect.poll(async () => await countWaiting(other), { timeout: 60_000 }).toBeGreaterThanOrEqual(many);
}

/**
 * How many transactions on this database have been ended for a deadlock so far, as PostgreSQL
 * counts them. Restarts the service.
 */
export async function countDeadlocks(other: Client, restart: () => Promise<void>): Promise<number> {
  const { rows } = await other.query<{ started: string }>("SELECT now() AS started");
  await restart();
  // What a connection has counted is told when it ends, at the latest.
  const left = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_start < $1";
  await expect.poll(async () => (await other.query(left, [rows[0]?.started])).rowCount, { timeout: 60_000 }).toBe(1);
  const counted = await other.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  return Number(counted.rows[0]?.deadlocks);
}
