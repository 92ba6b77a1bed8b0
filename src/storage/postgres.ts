import { drizzle } from "drizzle-orm/node-postgres";
import { Pool, type PoolClient } from "pg";
import { AppError } from "../lib/errors.ts";
import type { MigrationQueries } from "./migrate.ts";
import { planAnewNowAndThen } from "./postgres-plans.ts";
import { createPostgresTransactions, type PostgresTransactions } from "./postgres-transaction.ts";
import { postgresKit } from "./postgres-kit.ts";
import { defineTables } from "./schema.ts";
import type { Handle, Storage } from "./storage.ts";

export const postgresTables = defineTables(postgresKit);
const mostTries = 5;
/** invalid_sql_statement_name */
const lostStatement = "26000";

/** `onIdleError` hears of connections that die while idle: without a listener node-postgres ends the process. */
export function createPostgresPool(url: string, poolSize: number, onIdleError: (error: Error) => void): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 10_000,
    // A connection serves one caller at a time; within a transaction, not every statement waits for the one before it (`postgres-transaction.ts`).
    pipeline: true,
    application_name: "authsvc",
  });
  pool.on("error", onIdleError);
  // pg-pool listens only while a client is idle; a connection that dies in somebody's hands, or on the way there, fails what is asked of it, and
  // must not also end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  planAnewNowAndThen(pool);
  return pool;
}

export function createPostgresStorage(pool: Pool): Storage {
  const reader: Handle = { db: drizzle(pool) as unknown as Handle["db"], tables: postgresTables, gathers: true };
  const used = new WeakMap<PoolClient, { transactions: PostgresTransactions; handle: Handle }>();

  function transactionsOf(client: PoolClient): { transactions: PostgresTransactions; handle: Handle } {
    let found = used.get(client);
    if (!found) {
      const transactions = createPostgresTransactions(client);
      found = { transactions, handle: handleOf(transactions) };
      used.set(client, found);
    }
    return found;
  }

  async function transaction<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    const { transactions, handle } = transactionsOf(client);
    try {
      await transactions.begin();
      const value = await work(handle);
      await transactions.commit();
      return value;
    } catch (error) {
      const cause = await transactions.rollback(error).catch(() => {
        broken = true;
        return error;
      });
      // What was prepared on this connection is gone, and node-postgres would never prepare it again (a pooler's DISCARD).
      broken ||= codeOf(cause) === lostStatement;
      throw cause;
    } finally {
      client.release(broken);
    }
  }

  return {
    dialect: "postgres",
    reader,
    write: async (work) => await untilItRuns(() => transaction(work)),
    writeTogether: async (statement) => await untilItRuns(() => statement(reader)),
    // Its own vacuum removes dead rows, its own checkpoints recycle the log.
    forgetDeleted: async () => {},
    load: () => ({ waiting: pool.waitingCount, connections: { open: pool.totalCount, idle: pool.idleCount } }),
    ping: async () => void (await pool.query("SELECT 1")),
    close: () => pool.end(),
  };
}

export function handleOf(client: Pick<PoolClient, "query"> | PostgresTransactions): Handle {
  return { db: drizzle(client as PoolClient) as unknown as Handle["db"], tables: postgresTables };
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

async function untilItRuns<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === mostTries || !mayRunAgain(error)) throw error;
    }
  }
}

/**
 * Deadlocks, serialization failures, references to a row that another transaction has removed since it was read, and a connection that has lost
 * what was prepared on it: the transaction did nothing and may run again, when it sees what is there now.
 */
function mayRunAgain(error: unknown): boolean {
  return ["40001", "40P01", "23503", lostStatement].includes(codeOf(error) ?? "");
}

/** drizzle wraps the driver's error. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code;
}
