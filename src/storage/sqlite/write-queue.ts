import type { Database } from "better-sqlite3";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../lib/errors.ts";
import type { Handle } from "../storage.ts";

type Job = {
  work: (tx: Handle) => Promise<unknown>;
  /** Of `performance.now()`. */
  queuedAt: number;
  succeed(value: unknown): void;
  fail(error: unknown): void;
};
type Outcome = { value: unknown } | { error: unknown };

/** Limits how long one commit delays the queue; a batch of 128 takes about 4 ms. */
const maxJobsInACommit = 128;
/**
 * Pauses for twice the last commit's duration: the flush blocks the event loop for at most a third
 * of the time, and more writes share the next commit. Limited, because a caller's consecutive
 * writes each wait for it.
 */
const pauseOf = (commitMilliseconds: number): number => Math.min(2 * commitMilliseconds, 2);
/**
 * While all processors compute hashes, writes arrive one by one, and each commit takes a
 * millisecond from the hashes. Callers have already waited longer for their hash.
 */
const pauseWhileBusy = 20;
/** How long a due commit waits while each event-loop turn brings more writes to share it. */
const maxWaitForMore = 2;
/** How long a queued write waits in total while another process holds the lock. */
const lockPatienceMilliseconds = 10_000;

/**
 * Group commit: the writes of one or several consecutive event-loop turns run as savepoints under
 * one BEGIN IMMEDIATE … COMMIT, so one fsync serves many requests. Nobody is answered before it. A
 * job awaits only its own queries, which SQLite answers synchronously. So a batch runs within one
 * turn, and no other code can add a query to it.
 */
export function createWriteQueue(connection: Database, handle: Handle) {
  const waiting: Job[] = [];
  let running: Promise<void> | undefined;
  let lastCommit = { endedAt: 0, took: 0 };
  let isBusy = (): boolean => false;
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");
  const savepoint = connection.prepare("SAVEPOINT job");
  const release = connection.prepare("RELEASE job");
  const rollbackTo = connection.prepare("ROLLBACK TO job");

  async function run({ work }: Job): Promise<Outcome> {
    // SQLite is synchronous, so work that outlives this turn has awaited something else while it
    // held everybody's lock.
    let turnIsOver = false;
    const timer = setImmediate(() => (turnIsOver = true));
    try {
      const value = await work(handle);
      if (turnIsOver) throw new Error("a transaction awaited something other than its database");
      return { value };
    } catch (error) {
      return { error };
    } finally {
      clearImmediate(timer);
    }
  }

  /** Runs a batch up to its commit. A failed job is rolled back alone. */
  async function runInOneTransaction(batch: Job[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    await beginWhenFree(Math.min(...batch.map(({ queuedAt }) => queuedAt)));
    for (const job of batch) {
      savepoint.run();
      const outcome = await run(job);
      outcomes.push(outcome);
      const failed = "error" in outcome;
      // A full disk or an I/O error has already rolled back the whole transaction.
      if (!connection.inTransaction) throw failed ? outcome.error : new Error("the transaction ended early");
      if (failed) rollbackTo.run();
      release.run();
    }
    return outcomes;
  }

  async function runBatch(batch: Job[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await runInOneTransaction(batch);
      const startedAt = performance.now();
      commit.run();
      const endedAt = performance.now();
      lastCommit = { endedAt, took: endedAt - startedAt };
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

  function schedule(): void {
    running ??= new Promise<void>((done) => whenDue(() => done(runNext())));
  }

  async function runNext(): Promise<void> {
    await runBatch(waiting.splice(0, maxJobsInACommit));
    running = undefined;
    if (waiting.length > 0) schedule();
  }

  /** At the end of this event-loop turn, or after the pause that the last commit requires. */
  function whenDue(act: () => void): void {
    const { endedAt, took } = lastCommit;
    const dueAt = endedAt + (isBusy() ? pauseWhileBusy : pauseOf(took));
    const pause = waiting.length < maxJobsInACommit ? dueAt - performance.now() : 0;
    const look = (): void => whenNoMoreCome(act);
    if (pause < 1) setImmediate(look);
    else setTimeout(look, pause);
  }

  /**
   * Waits for a turn without new jobs: concurrent requests are rarely read in one turn, and a
   * commit costs as much as several jobs. Takes no time if nobody else is there.
   */
  function whenNoMoreCome(act: () => void, until = performance.now() + maxWaitForMore): void {
    const count = waiting.length;
    if (count >= maxJobsInACommit || performance.now() > until) return act();
    setImmediate(() => (waiting.length === count ? act() : whenNoMoreCome(act, until)));
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
        schedule();
      });
    },
    shareCommitsWhile(busy: () => boolean): void {
      isBusy = busy;
    },
    length: (): number => waiting.length,
    async idle(): Promise<void> {
      // Defined while a job waits or runs.
      for (let batch = running; batch; batch = running) await batch;
    },
  };
}
