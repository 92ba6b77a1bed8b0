import type { Handle, Storage, RollBack } from "./storage.ts";

class RolledBack<T> extends Error {
  readonly outcome: T;
  constructor(outcome: T) {
    super("rolled back");
    this.outcome = outcome;
  }
}

type Addition = { by: number; write: (by: number) => Promise<unknown> };

/**
 * The actions of each open transaction before and after its commit, by handle. SQLite has one
 * handle and runs one transaction at a time.
 */
const openTransactions = new WeakMap<Handle, { additions: Map<string, Addition>; acts: (() => void)[] }>();

function openTransaction(tx: Handle) {
  const found = openTransactions.get(tx);
  if (!found) throw new Error("called outside of a transaction");
  return found;
}

/**
 * Adds to a counter right before the commit of `tx`, so that its row is locked for the commit only.
 * `write` gets the sum of all calls with this key. All transactions write in the order of the keys,
 * so they never deadlock. Throws outside of a transaction.
 */
export function addBeforeCommit(tx: Handle, key: string, by: number, write: Addition["write"]): void {
  const { additions } = openTransaction(tx);
  additions.set(key, { by: (additions.get(key)?.by ?? 0) + by, write });
}

async function writeAdditions(tx: Handle): Promise<void> {
  const additions = [...openTransaction(tx).additions].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [, { by, write }] of additions) if (by !== 0) await write(by);
}

/**
 * Runs `act` once the transaction of `tx` is durable, before `write` resolves. Not if it is rolled
 * back, and only once if it is retried. `act` must not throw. Throws outside of a transaction.
 */
export function afterCommit(tx: Handle, act: () => void): void {
  openTransaction(tx).acts.push(act);
}

/** Runs `work` in a transaction that will not be committed: its deferred actions never run. */
export async function neverCommitted<T>(tx: Handle, work: () => Promise<T>): Promise<T> {
  openTransactions.set(tx, { additions: new Map(), acts: [] });
  try {
    return await work();
  } finally {
    openTransactions.delete(tx);
  }
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
        openTransactions.set(tx, { additions: new Map(), acts: due });
        try {
          const result = await work(tx, rollBack);
          await writeAdditions(tx);
          return result;
        } finally {
          openTransactions.delete(tx);
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
