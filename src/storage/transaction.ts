import type { Handle, Storage, RollBack } from "./storage.ts";

class RolledBack<T> extends Error {
  readonly outcome: T;
  constructor(outcome: T) {
    super("rolled back");
    this.outcome = outcome;
  }
}

/**
 * What each open transaction does after its commit, by handle. SQLite has one handle and runs one
 * transaction at a time.
 */
const dueAfterCommit = new WeakMap<Handle, (() => void)[]>();

/**
 * Runs `act` once the transaction of `tx` is durable, before `write` resolves. Not if it is rolled
 * back, and only once if it is retried. `act` must not throw. Throws outside of a transaction.
 */
export function afterCommit(tx: Handle, act: () => void): void {
  const due = dueAfterCommit.get(tx);
  if (!due) throw new Error("afterCommit was called outside of a transaction");
  due.push(act);
}

/**
 * `Storage.write` of both databases. `run` runs one transaction and may retry its work before it
 * commits.
 */
export function createWrite(run: <T>(work: (tx: Handle) => Promise<T>) => Promise<T>): Storage["write"] {
  return async function write<T>(work: (tx: Handle, rollBack: RollBack<T>) => Promise<T>): Promise<T> {
    let own: RolledBack<T> | undefined;
    let due: (() => void)[] = [];
    const rollBack = (outcome: T): Error => (own = new RolledBack(outcome));
    let value: T;
    try {
      value = await run(async (tx) => {
        due = [];
        dueAfterCommit.set(tx, due);
        try {
          return await work(tx, rollBack);
        } finally {
          dueAfterCommit.delete(tx);
        }
      });
    } catch (error) {
      if (own && error === own) return own.outcome;
      throw error;
    }
    for (const act of due) act();
    return value;
  };
}
