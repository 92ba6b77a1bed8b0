import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Load } from "../src/upkeep/benchmark/load.ts";
import type { Traffic } from "../src/upkeep/benchmark/traffic.ts";

export type Pace = {
  seconds: number;
  /** Keep-alive connections, one call at a time each. 32 by default. */
  connections?: number;
  /** The pause between an answer and the next call on its connection; none by default. */
  pauseMilliseconds?: number;
};

export type LoadThread = ReturnType<typeof startLoadThread>;

/**
 * Generates load in a thread of its own, so that what else the benchmark does delays no call. It
 * stays for all loads, because its code is compiled after the first ones.
 */
export function startLoadThread() {
  const thread = new Worker(join(import.meta.dirname, "load-thread.ts"));
  return {
    /** Loads a service; one load at a time. */
    async load(traffic: Traffic, pace: Pace): Promise<Load> {
      thread.postMessage({ traffic, pace });
      const [load] = (await once(thread, "message")) as [Load];
      return load;
    },
    [Symbol.dispose]: () => void thread.terminate(),
  };
}
