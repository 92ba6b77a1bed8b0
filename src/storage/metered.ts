import type { Meter } from "../lib/meter.ts";
import type { Storage } from "./storage.ts";

/** The same storage; how long its transactions take is told to `meter`. */
export function meteredStorage(storage: Storage, meter: Meter): Storage {
  return {
    ...storage,
    async write(work) {
      const startedAt = performance.now();
      let result: "success" | "failure" = "failure";
      try {
        const value = await storage.write(work);
        result = "success";
        return value;
      } finally {
        meter.transaction(performance.now() - startedAt, result);
      }
    },
  };
}
