import type { Pool, PoolClient } from "pg";
import { AppError } from "../../lib/errors.ts";
import { createPostgresPool } from "./pool.ts";

/** Other clients of the pooler can make a single probe inconclusive. */
const maxLooks = 5;

/**
 * Throws UNUSABLE_STORAGE if a pooler gives each transaction another server connection: prepared
 * statements and session settings would be lost or belong to another client. Needs one query unless
 * there is a pooler.
 */
export async function refuseTransactionPooling(pool: Pool, url: string): Promise<void> {
  const client = await pool.connect();
  try {
    // A pooler reports its own process number. Other implementations of the protocol may report
    // none.
    const { processID } = client as PoolClient & { processID: number };
    const backend = await backendOf(client);
    if (backend > 0 && backend !== processID) await compareWithAnother(client, url);
  } finally {
    client.release();
  }
}

async function compareWithAnother(client: PoolClient, url: string): Promise<void> {
  const others = createPostgresPool(url, 1, () => {});
  try {
    // A pooler that dedicates its one connection to a session has no second one.
    const other = await others.connect().catch(() => undefined);
    if (other !== undefined) await compare(client, other).finally(() => other.release(true));
  } finally {
    await others.end();
  }
}

async function compare(client: PoolClient, other: PoolClient): Promise<void> {
  for (let look = 1; look <= maxLooks; look += 1) {
    const before = await backendOf(client);
    await other.query("BEGIN");
    // Two clients share a connection, or one client uses two.
    if ((await backendOf(other)) === before || (await backendOf(client)) !== before) throw pooledByTransaction();
    await other.query("COMMIT");
  }
}

async function backendOf(client: PoolClient): Promise<number> {
  return (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;
}

function pooledByTransaction(): AppError {
  return new AppError(
    "UNUSABLE_STORAGE",
    "The connection pooler assigns a connection per transaction: set pool_mode = session (PgBouncer), or point database.url directly at PostgreSQL.",
  );
}
