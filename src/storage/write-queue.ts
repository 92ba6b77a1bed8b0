import type { Database } from "better-sqlite3";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../lib/errors.ts";
import type { Handle } from "./storage.ts";

type Job = {
  work: (tx: Handle) => Promise<unknown>;
  /** Of `performance.now()`. */
  queuedAt: number;
  succeed(value: unknown): void;
  fail(error: unknown): void;
};
type Outcome = { value: unknown } | { error: unknown };

/** Bounds how long one commit can keep readers of the queue waiting; a batch of 128 takes about 4 ms. */
const mostJobsInACommit = 128;
/** How long a write waits while another process holds the lock, from when it was queued: however many wait, none does for longer. */
const lockPatienceMilliseconds = 10_000;

/**
 * Group commit: what is queued in the same turn of the event loop runs as savepoints under one BEGIN IMMEDIATE … COMMIT, so that one fsync
 * serves many requests, and nobody is answered before it. A job awaits nothing but its own queries, which SQLite answers at once:
 * the whole batch therefore runs within one turn, and no other code can slip a query into it.
 */
export function createWriteQueue(connection: Database, handle: Handle) {
  const waiting: Job[] = [];
  let running: Promise<void> | undefined;
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");
  const savepoint = connection.prepare("SAVEPOINT job");
  const release = connection.prepare("RELEASE job");
  const rollbackTo = connection.prepare("ROLLBACK TO job");

  async function runInSavepoint(job: Job): Promise<Outcome> {
    savepoint.run();
    // SQLite answers at once, so work that outlives this turn of the event loop awaited something else, and held everybody's lock for it.
    let turnIsOver = false;
    const timer = setImmediate(() => (turnIsOver = true));
    try {
      const value = await job.work(handle);
      if (turnIsOver) throw new Error("a transaction awaited something that is not its database");
      release.run();
      return { value };
    } catch (error) {
      // A full disk or an I/O error has already rolled back the whole transaction.
      if (connection.inTransaction) {
        rollbackTo.run();
        release.run();
      }
      return { error };
    } finally {
      clearImmediate(timer);
    }
  }

  async function runBatch(batch: Job[]): Promise<void> {
    const outcomes: Outcome[] = [];
    try {
      await beginWhenFree(batch[0]?.queuedAt ?? 0);
      for (const job of batch) {
        const outcome = await runInSavepoint(job);
        outcomes.push(outcome);
        if (!connection.inTransaction)
          throw "error" in outcome ? outcome.error : new Error("the transaction ended early");
      }
      commit.run();
    } catch (error) {
      if (connection.inTransaction) rollback.run();
      for (const job of batch) job.fail(error);
      return;
    }
    for (const [position, job] of batch.entries()) {
      const outcome = outcomes[position];
      if (outcome && "value" in outcome) job.succeed(outcome.value);
      else job.fail(outcome?.error);
    }
  }

  async function beginWhenFree(waitingSince: number): Promise<void> {
    const giveUpAt = waitingSince + lockPatienceMilliseconds;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        begin.run();
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
        if (performance.now() > giveUpAt)
          throw new AppError("UNUSABLE_STORAGE", "The database is locked by another process.", { cause: error });
        await sleep(pause);
      }
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await runBatch(waiting.splice(0, mostJobsInACommit));
    running = undefined;
  }

  return {
    write<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          work,
          queuedAt: performance.now(),
          succeed: (value) => resolve(value as T),
          fail: reject,
        });
        running ??= new Promise<void>((done) => setImmediate(() => done(drain())));
      });
    },
    length: (): number => waiting.length,
    async idle(): Promise<void> {
      await running;
    },
  };
}
