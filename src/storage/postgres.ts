import { drizzle } from "drizzle-orm/node-postgres";
import { Pool, type PoolClient } from "pg";
import { AppError } from "../lib/errors.ts";
import type { MigrationQueries } from "./migrate.ts";
import { postgresKit } from "./postgres-kit.ts";
import { defineTables } from "./schema.ts";
import type { Handle, Storage } from "./storage.ts";

export const postgresTables = defineTables(postgresKit);
const mostTries = 5;

/** `onIdleError` hears of connections that die while idle: without a listener node-postgres ends the process. */
export function createPostgresPool(url: string, poolSize: number, onIdleError: (error: Error) => void): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 10_000,
    application_name: "authsvc",
  });
  pool.on("error", onIdleError);
  return pool;
}

export function createPostgresStorage(pool: Pool): Storage {
  const reader: Handle = { db: drizzle(pool) as unknown as Handle["db"], tables: postgresTables };
  const handles = new WeakMap<PoolClient, Handle>();

  function handleFor(client: PoolClient): Handle {
    let handle = handles.get(client);
    if (!handle) {
      handle = handleOf(client);
      handles.set(client, handle);
    }
    return handle;
  }

  async function transaction<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    // pg-pool listens only while a client is idle; a connection that dies in our hands fails the query, and must not also end the process.
    const ignore = (): void => {};
    client.on("error", ignore);
    try {
      await client.query("BEGIN");
      const value = await work(handleFor(client));
      await client.query("COMMIT");
      return value;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.removeListener("error", ignore);
      client.release(broken);
    }
  }

  return {
    dialect: "postgres",
    reader,
    async write(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await transaction(work);
        } catch (error) {
          if (attempt === mostTries || !mayRunAgain(error)) throw error;
        }
      }
    },
    // Its own vacuum removes dead rows, its own checkpoints recycle the log.
    forgetDeleted: async () => {},
    load: () => ({ waiting: pool.waitingCount, connections: { open: pool.totalCount, idle: pool.idleCount } }),
    ping: async () => void (await pool.query("SELECT 1")),
    close: () => pool.end(),
  };
}

export function handleOf(client: PoolClient): Handle {
  return { db: drizzle(client) as unknown as Handle["db"], tables: postgresTables };
}

export function postgresQueries(client: PoolClient): MigrationQueries {
  const query: MigrationQueries["query"] = async (sql, parameters = []) =>
    (await client.query<Record<string, unknown>>(sql, parameters)).rows;
  return {
    query,
    hasMigrationsTable: async () => (await query("SELECT to_regclass('migrations') AS found"))[0]?.["found"] !== null,
  };
}

export function unreachablePostgres(error: unknown): AppError {
  const reason = error instanceof AggregateError ? (error.errors[0] as Error).message : (error as Error).message;
  return new AppError(
    "UNUSABLE_STORAGE",
    `The PostgreSQL database cannot be used: ${reason}. Is it running, and database.url right?`,
    { cause: error },
  );
}

/**
 * Deadlocks, serialization failures, and references to a row that another transaction has removed since it was read: the transaction did nothing
 * and may run again, when it sees what is there now. drizzle wraps the driver's error.
 */
function mayRunAgain(error: unknown): boolean {
  const code = ((error as Error).cause as { code?: string } | undefined)?.code ?? (error as { code?: string }).code;
  return code === "40001" || code === "40P01" || code === "23503";
}
