import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { second } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { migrate, readMigrations, type MigrationQueries } from "./migrate.ts";
import { postgresQueries } from "./postgres.ts";

/** Brings the schema up to date while other nodes, of an older version perhaps, go on. Throws UNUSABLE_STORAGE. */
export async function migratePostgres(pool: Pool, now: number): Promise<void> {
  const client = await pool.connect();
  const queries = postgresQueries(client);
  try {
    await migrate(
      {
        ...queries,
        exclusively: async (work) => await givingWay(async () => await exclusively(queries.query, work)),
        // The operator's own backups cover PostgreSQL (decision 13 asks for a snapshot of SQLite only).
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
  // Waiting for another node and building an index may take as long as they take.
  await query("SET LOCAL statement_timeout = 0");
  try {
    // One number for every node: "authsvc" as bytes would do; any constant does.
    await query("SELECT pg_advisory_xact_lock(728471120)");
    // Whoever waits for a table has all calls of the running nodes wait behind it.
    await query("SET LOCAL lock_timeout = '1s'");
    const result = await work();
    await query("COMMIT");
    return result;
  } catch (error) {
    // Where the connection is gone, so is the transaction; the first error is the one to tell.
    await query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** What holds a table for as many seconds is no call of a node, but a backup, or somebody at a terminal. */
const mostAttempts = 60;

/** Runs `attempt` again, a second later, where a lock was not to be had, or where it was chosen to end a deadlock. */
async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== "55P03" && code !== "40P01") throw error;
      if (attempts === mostAttempts) {
        const advice = "Something else holds its tables, a backup perhaps: start again when that is done.";
        throw new AppError("UNUSABLE_STORAGE", `The PostgreSQL database cannot be migrated. ${advice}`, {
          cause: error,
        });
      }
      await sleep(second);
    }
  }
}
