import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient } from "pg";
import { AppError } from "../../lib/errors.ts";
import { systemRandom, type Random } from "../../lib/random.ts";
import { postgresOrder } from "../queries/commit-order.ts";
import { currentTime } from "../queries/database-time.ts";
import type { MigrationQueries } from "../migrate.ts";
import { cut, maxMillisecondsOfAnOperation, onConnection } from "./deadline.ts";
import { olderTransactionsEnd } from "./older-transactions.ts";
import { createPing } from "./ping.ts";
import { createPostgresTransactions, type PostgresTransactions } from "./transaction.ts";
import { postgresKit } from "./kit.ts";
import { defineTables } from "../schema.ts";
import { orAddressTaken } from "../errors/address-taken.ts";
import { orOwnerGone } from "../errors/owner-gone.ts";
import type { Handle, Storage } from "../storage.ts";
import { createWrite } from "../transaction.ts";

export const postgresTables = defineTables(postgresKit);
const maxTries = 5;
/** invalid_sql_statement_name */
const lostStatement = "26000";
/** read_only_sql_transaction */
const readOnly = "25006";

export function createPostgresStorage(pool: Pool, random: Random = systemRandom): Storage {
  /** The shard of the next connection: those of other nodes begin elsewhere. */
  let nextShard = random(1)[0] ?? 0;

  async function inTime<T>(deadline: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
    return await onConnection(pool, deadline, work, isConnectionLost);
  }

  const reader: Handle = {
    ...handleOf({
      query: async (config, values) => await inTime(newDeadline(), (client) => client.query(config, values)),
    }),
    gathers: true,
  };
  const used = new WeakMap<PoolClient, { transactions: PostgresTransactions; handle: Handle }>();

  function transactionsOf(client: PoolClient): { transactions: PostgresTransactions; handle: Handle } {
    let existing = used.get(client);
    if (!existing) {
      const transactions = createPostgresTransactions(client);
      existing = { transactions, handle: handleOf(transactions, nextShard % 16) };
      nextShard += 1;
      used.set(client, existing);
    }
    return existing;
  }

  async function transaction<T>(client: PoolClient, work: (tx: Handle) => Promise<T>): Promise<T> {
    const { transactions, handle } = transactionsOf(client);
    try {
      await transactions.begin();
      const value = await work(handle);
      await transactions.commit();
      return value;
    } catch (error) {
      throw await transactions.rollback(error).catch(() => {
        cut(client);
        return error;
      });
    }
  }

  return {
    dialect: "postgres",
    isShared: true,
    reader,
    write: createWrite(
      async (work) =>
        await untilItRuns((deadline) => inTime(deadline, async (client) => await transaction(client, work))),
    ),
    writeOne: async (statement) => await untilItRuns(() => statement(reader)),
    // Commits at the same moment share a flush there anyway.
    shareCommitsWhile: () => {},
    // PostgreSQL's vacuum removes dead rows and its checkpoints recycle the log.
    forgetDeleted: async () => {},
    olderTransactionsEnd: async () =>
      await olderTransactionsEnd(async (sql) => await inTime(newDeadline(), (client) => client.query(sql))),
    load: () => ({ waiting: pool.waitingCount, connections: { open: pool.totalCount, idle: pool.idleCount } }),
    ping: createPing(pool),
    bytes: async () => {
      const size = "SELECT pg_database_size(current_database()) AS bytes";
      const { rows } = await inTime(newDeadline(), (client) => client.query<{ bytes: string }>(size));
      return Number(rows[0]?.bytes);
    },
    time: async () => await currentTime(reader),
    close: () => pool.end(),
  };
}

export function handleOf(client: Pick<PoolClient, "query"> | Pick<PostgresTransactions, "query">, shard = 0): Handle {
  return {
    db: drizzle(client as PoolClient) as unknown as Handle["db"],
    tables: postgresTables,
    commitOrder: postgresOrder,
    shard: sql.raw(String(shard)),
  };
}

export function postgresQueries(client: PoolClient): MigrationQueries {
  const query: MigrationQueries["query"] = async (sql, parameters = []) =>
    (await client.query<Record<string, unknown>>(sql, parameters)).rows;
  return {
    query,
    hasMigrationsTable: async () => (await query(`SELECT ${isOurs("'migrations'")} AS ours`))[0]?.["ours"] === true,
    wayBack: () =>
      "To go back, and lose what changed since, stop the service, set database.url to an empty database and run, with the backup made before the upgrade: authsvc db restore FILE --yes",
  };
}

/** SQL: whether a table is our list of migrations. Other programs have tables of that name. */
export function isOurs(name: string): string {
  return `EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(${name}) AND attname = 'checksum')`;
}

export function unreachablePostgres(error: unknown): AppError {
  const reason = error instanceof AggregateError ? (error.errors[0] as Error).message : (error as Error).message;
  const code = codeOf(error) ?? "";
  if ((error as NodeJS.ErrnoException).syscall === "open")
    return new AppError("UNUSABLE_STORAGE", `A file that database.url names cannot be read: ${reason}`, {
      cause: error,
    });
  // An SQLSTATE: the server runs, and refused.
  const advice = /^[0-9A-Z]{5}$/u.test(code) ? adviceOn(code) : " Is it running, and is database.url correct?";
  return new AppError("UNUSABLE_STORAGE", `The PostgreSQL database is not usable: ${reason}.${advice}`, {
    cause: error,
  });
}

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
function adviceOn(code: string): string {
  if (code.startsWith("28") || code === "3D000") return " Check user, password and database in database.url.";
  if (code === "53300") return " Lower database.poolSize, or raise max_connections of the server.";
  if (code === "42501") return " The role must own the tables of authsvc: see docs/postgresql.md.";
  return "";
}

function newDeadline(): number {
  return performance.now() + maxMillisecondsOfAnOperation;
}

async function untilItRuns<T>(work: (deadline: number) => Promise<T>): Promise<T> {
  const deadline = newDeadline();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(deadline);
    } catch (error) {
      // An attempt that has to wait for a connection needs time for it.
      const isLate = performance.now() > deadline - maxMillisecondsOfAnOperation / 2;
      if (attempt === maxTries || isLate || !mayRunAgain(error)) throw orAddressTaken(orOwnerGone(error));
    }
  }
}

/**
 * Deadlocks, serialization failures, references to a row that was just removed, and lost
 * connections: the transaction did nothing, and a retry sees the current state.
 */
function mayRunAgain(error: unknown): boolean {
  return ["40001", "40P01", "23503", lostStatement].includes(codeOf(error) ?? "");
}

/**
 * Whether the connection must be replaced: its prepared statements are gone and node-postgres would
 * not prepare them again (a pooler's DISCARD), or it leads to a standby and the next one may lead
 * to the primary.
 */
function isConnectionLost(error: unknown): boolean {
  return [lostStatement, readOnly].includes(codeOf(error) ?? "");
}

/** drizzle wraps the driver's error. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code;
}
