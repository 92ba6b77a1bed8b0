import type { Meter } from "../lib/meter.ts";
import type { Storage } from "./storage.ts";

/** Wraps a storage to report the duration of its transactions to `meter`. */
export function meteredStorage(storage: Storage, meter: Meter): Storage {
  async function timed<T>(transaction: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let result: "success" | "failure" = "failure";
    try {
      const value = await transaction;
      result = "success";
      return value;
    } finally {
      meter.transaction(performance.now() - startedAt, result);
    }
  }
  return {
    ...storage,
    write: async (work) => await timed(storage.write(work)),
    writeOne: async (statement) => await timed(storage.writeOne(statement)),
  };
}
