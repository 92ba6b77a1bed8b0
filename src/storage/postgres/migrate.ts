import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { migrate, readMigrations, type MigrationQueries } from "../migrate.ts";
import { liftTimeouts } from "./hosts.ts";
import { postgresQueries } from "./postgres.ts";
import { refuseUnusableSchema } from "./usable-schema.ts";

/**
 * Migrates the schema while other nodes, perhaps of an older version, keep running. Returns what
 * `migrate` returns. Throws UNUSABLE_STORAGE.
 */
export async function migratePostgres(pool: Pool, now: number): Promise<string[]> {
  const client = await pool.connect();
  const queries = postgresQueries(client);
  try {
    await refuseUnusableSchema(client);
    return await migrate(
      {
        ...queries,
        exclusively: async (work) => await givingWay(async () => await exclusively(queries.query, work)),
        // Only SQLite needs a snapshot (docs/spec/decisions.md, 13): operators back up PostgreSQL
        // themselves.
        snapshot: async () => {},
      },
      readMigrations("postgres"),
      now,
    );
  } finally {
    client.release();
  }
}

async function exclusively<T>(query: MigrationQueries["query"], work: () => Promise<T>): Promise<T> {
  await query("BEGIN");
  await liftTimeouts(query);
  try {
    // An arbitrary number that is the same on every node.
    await query("SELECT pg_advisory_xact_lock(728471120)");
    // While we wait for a table lock, all calls of the running nodes queue behind it.
    await query("SET LOCAL lock_timeout = '1s'");
    const result = await work();
    await query("COMMIT");
    return result;
  } catch (error) {
    // If the connection is gone, so is the transaction; report the first error.
    await query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Only a backup or a person at a terminal locks a table for that many seconds; no node does. */
const maxAttempts = 60;

/** Retries `attempt` every second after a lock timeout or a deadlock. */
async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== "55P03" && code !== "40P01") throw error;
      if (attempts === maxAttempts) {
        const advice = "Another session, such as a backup, has locked its tables: start again when that is done.";
        throw new AppError("UNUSABLE_STORAGE", `The PostgreSQL database cannot be migrated. ${advice}`, {
          cause: error,
        });
      }
      await sleep(second);
    }
  }
}
