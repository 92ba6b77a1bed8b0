import type { ClientBase, Pool, PoolClient } from "pg";
import { second } from "../../lib/clock.ts";

/**
 * The limit for one operation, such as a whole transaction. Shorter than the time a stopping
 * service gives its callers (`cli/commands/serve.ts`).
 */
export const maxMillisecondsOfAnOperation = 8 * second;

/**
 * Runs `work` on a pooled connection and cuts the connection at `deadline` (of
 * `performance.now()`). Everything that waits there fails; whether a pending COMMIT took effect is
 * unknown. `isLost` tells whether an error makes the connection unusable.
 */
export async function onConnection<T>(
  pool: Pool,
  deadline: number,
  work: (client: PoolClient) => Promise<T>,
  isLost: (error: unknown) => boolean,
): Promise<T> {
  const client = await pool.connect();
  let isUsable = true;
  try {
    return await beforeDeadline(client, deadline, () => work(client));
  } catch (error) {
    isUsable = !isLost(error);
    // Idle connections lead to the same server and would each take as long to fail.
    if (error instanceof NoAnswer) closeIdle(pool);
    throw error;
  } finally {
    client.release(!isUsable || isCut(client));
  }
}

/** Cuts the connection at `deadline`. */
export async function beforeDeadline<T>(client: ClientBase, deadline: number, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  let isDone = false;
  const timer = setTimeout(() => {
    // If this process caused the delay, the answer has arrived and is read before this runs.
    setImmediate(() => {
      if (isDone) return;
      isOver = true;
      cut(client);
    });
  }, deadline - performance.now());
  try {
    return await work();
  } catch (error) {
    throw isOver ? new NoAnswer("PostgreSQL did not respond in time", { cause: error }) : error;
  } finally {
    isDone = true;
    clearTimeout(timer);
  }
}

class NoAnswer extends Error {}

/** Without PostgreSQL's Terminate message, which a hanging server would not read. */
export function cut(client: ClientBase): void {
  streamOf(client).destroy();
}

function isCut(client: ClientBase): boolean {
  return streamOf(client).destroyed;
}

function closeIdle(pool: Pool): void {
  for (let idle = pool.idleCount; idle > 0; idle -= 1) {
    pool.connect().then(
      (client) => {
        cut(client);
        client.release(true);
      },
      () => {},
    );
  }
}

function streamOf(client: ClientBase) {
  return (client as PoolClient).connection.stream;
}
