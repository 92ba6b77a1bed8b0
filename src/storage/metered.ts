import type { Meter } from "../lib/meter.ts";
import type { Storage } from "./storage.ts";

/** The same storage; how long its transactions take is told to `meter`. */
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
  const { writeTogether } = storage;
  return {
    ...storage,
    write: async (work) => await timed(storage.write(work)),
    ...(writeTogether && { writeTogether: async (statement) => await timed(writeTogether(statement)) }),
  };
}
