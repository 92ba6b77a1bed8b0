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
/**
 * Between two commits, twice what the first one took: the flush holds up the event loop for a third of the time at most, and what comes meanwhile
 * shares the next one. Bounded, because writes of one caller wait for it each time.
 */
const pauseOf = (commitMilliseconds: number): number => Math.min(2 * commitMilliseconds, 2);
/**
 * While every processor computes hashes: writes come one by one then, each commit takes the hashes a millisecond of a processor, and whoever waits for
 * one has waited longer for a hash.
 */
const pauseWhileBusy = 20;
/** For how long a commit that is due waits while each turn of the event loop brings more that can share it. */
const mostWaitForMore = 2;
/** How long a write waits while another process holds the lock, from when it was queued: however many wait, none does for longer. */
const lockPatienceMilliseconds = 10_000;

/**
 * Group commit: what is queued in one turn of the event loop, or in turns that follow each other, runs as savepoints under one
 * BEGIN IMMEDIATE … COMMIT, so that one fsync serves many requests, and nobody is answered before it. A job awaits nothing but its own queries,
 * which SQLite answers at once: the whole batch therefore runs within one turn, and no other code can slip a query into it.
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
    // SQLite answers at once, so work that outlives this turn of the event loop awaited something else, and held everybody's lock for it.
    let turnIsOver = false;
    const timer = setImmediate(() => (turnIsOver = true));
    try {
      const value = await work(handle);
      if (turnIsOver) throw new Error("a transaction awaited something that is not its database");
      return { value };
    } catch (error) {
      return { error };
    } finally {
      clearImmediate(timer);
    }
  }

  /** Runs a batch up to its commit. What fails is taken back alone; that needs a savepoint, which copies pages, only where others have written before it. */
  async function runInOneTransaction(batch: Job[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const job of batch) {
      const isFirst = !connection.inTransaction;
      if (isFirst) await beginWhenFree(job.queuedAt);
      else savepoint.run();
      const outcome = await run(job);
      outcomes.push(outcome);
      const failed = "error" in outcome;
      // A full disk or an I/O error has already rolled back the whole transaction.
      if (!connection.inTransaction) throw failed ? outcome.error : new Error("the transaction ended early");
      if (isFirst && failed) rollback.run();
      else if (!isFirst) {
        if (failed) rollbackTo.run();
        release.run();
      }
    }
    return outcomes;
  }

  async function runBatch(batch: Job[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await runInOneTransaction(batch);
      const startedAt = performance.now();
      // Not where every job has failed.
      if (connection.inTransaction) commit.run();
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
    await runBatch(waiting.splice(0, mostJobsInACommit));
    running = undefined;
    if (waiting.length > 0) schedule();
  }

  /** At the end of this turn of the event loop, or after the pause that the last commit asks for. */
  function whenDue(act: () => void): void {
    const { endedAt, took } = lastCommit;
    const dueAt = endedAt + (isBusy() ? pauseWhileBusy : pauseOf(took));
    const pause = waiting.length < mostJobsInACommit ? dueAt - performance.now() : 0;
    const look = (): void => whenNoMoreCome(act);
    if (pause < 1) setImmediate(look);
    else setTimeout(look, pause);
  }

  /**
   * What comes together is rarely read in one turn, and a commit costs as much as the work of several jobs, whoever shares it: it waits for a
   * turn that brings nothing, which takes no time where nobody else is there.
   */
  function whenNoMoreCome(act: () => void, until = performance.now() + mostWaitForMore): void {
    const found = waiting.length;
    if (found >= mostJobsInACommit || performance.now() > until) return act();
    setImmediate(() => (waiting.length === found ? act() : whenNoMoreCome(act, until)));
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
      // Defined whenever a job waits, or runs.
      for (let batch = running; batch; batch = running) await batch;
    },
  };
}
