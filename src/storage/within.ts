import type { Handle, Storage } from "./storage.ts";

/**
 * A storage whose transactions are part of the open transaction `tx`, so services can run inside
 * it. `rollBack` would undo all of `tx`, so it is an error here.
 */
export function storageWithin(storage: Storage, tx: Handle): Storage {
  return {
    ...storage,
    reader: tx,
    write: (work) => work(tx, () => new Error("a transaction within another one cannot be rolled back alone")),
    writeOne: (statement) => statement(tx),
  };
}
