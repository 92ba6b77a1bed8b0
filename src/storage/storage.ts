import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core";
import type { Tables } from "./schema.ts";

/**
 * Where a query runs, and the first argument of every store function: the reader, or the transaction handed to `write`.
 * Typed as SQLite for both databases; always awaited. No `.get/.all/.run`, no driver row counts: `.returning()` and its length.
 */
export type Handle = { readonly db: BaseSQLiteDatabase<"async", unknown>; readonly tables: Tables };

export type Storage = {
  readonly dialect: "sqlite" | "postgres";
  /** For reads outside a transaction; sees everything that was committed before the call. */
  readonly reader: Handle;
  /**
   * Runs `work` as one transaction and resolves after its commit is durable; a throw rolls it back and is passed on.
   * `work` does database work only: it may run again after a serialization failure, and on SQLite it shares its commit with others.
   */
  write<T>(work: (tx: Handle) => Promise<T>): Promise<T>;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Builds the statements of a store once for each handle that lives long (the SQLite connections, each pooled PostgreSQL client).
 * Building a query costs ten times what running a prepared one does (`libraries.md`, item 2).
 */
export function statements<T>(build: (handle: Handle) => T): (handle: Handle) => T {
  const built = new WeakMap<Handle, T>();
  return (handle) => {
    let found = built.get(handle);
    if (found === undefined) {
      found = build(handle);
      built.set(handle, found);
    }
    return found;
  };
}

/** `query.prepare(name)`: PostgreSQL needs the name, SQLite's type knows none. */
export function prepare<P>(query: { prepare(): P }, name: string): P {
  return (query as { prepare(name: string): P }).prepare(name);
}
