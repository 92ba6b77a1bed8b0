import { Client } from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import type { Place } from "./access-changes.ts";
import { startProvider } from "./providers/provider.ts";
import { appWith } from "./providers/round.ts";
import { startTestService } from "./service.ts";

type LockedPlace = { place: Place; other: Client; restart(): Promise<void> };

/** A service on PostgreSQL where people sign in, and another connection to its database. */
export function usePlaceWithLocks(): LockedPlace {
  const found = {} as LockedPlace;
  let running: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    running = await startTestService("postgres");
    const { service, restart } = running;
    const provider = await startProvider("github");
    const app = await appWith(service, [provider], { methods: ["password", "passkey", "oauth"] });
    const other = new Client(service.config.database.url);
    await other.connect();
    Object.assign(found, { place: { service, app, provider }, other, restart });
  });
  afterAll(async () => {
    await found.other.end();
    await found.place.provider.close();
    await running.stop();
  });
  return found;
}

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
