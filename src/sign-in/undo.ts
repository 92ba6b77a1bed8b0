import type { Clock } from "../lib/clock.ts";
import type { Handle, Storage } from "../storage/storage.ts";

/** Thrown within a transaction, it rolls it back with an outcome instead of an error. */
export class Undo extends Error {
  readonly outcome: unknown;
  constructor(outcome: unknown) {
    super("undone");
    this.outcome = outcome;
  }
}

/** Runs `work` in one transaction; rolls back what it wrote, and answers the outcome, when it throws an `Undo`. */
export function createUndoable({ storage, clock }: { storage: Storage; clock: Clock }) {
  return async function undoable<T, U>(work: (tx: Handle, now: number) => Promise<T>): Promise<T | U> {
    const now = clock();
    try {
      return await storage.write((tx) => work(tx, now));
    } catch (error) {
      if (error instanceof Undo) return error.outcome as U;
      throw error;
    }
  };
}
