import type { Handle, Storage } from "./storage.ts";

/**
 * Storage for services that are to read and write within a transaction that is open already: what each of them takes for a transaction of its
 * own is part of that one, and is committed or rolled back with it.
 */
export function storageWithin(storage: Storage, tx: Handle): Storage {
  // A statement that is a transaction of its own is none of this one.
  const { writeTogether: _, ...rest } = storage;
  return { ...rest, reader: tx, write: (work) => work(tx) };
}
