import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { newLimitMemory } from "../../src/rate-limits/memory-limiter.ts";

test("a limit is exact when threads count for the first time in a minute at the same moment", async () => {
  const [minutes, workers] = [4000, 2];
  const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));
  const most = shared(minutes + 1);
  const workerData = { memory: newLimitMemory(systemRandom), minutes, gate: shared(1), workers, most };
  const file = join(import.meta.dirname, "../support/limit-worker.mjs");
  const running = Array.from({ length: workers }, () => new Worker(file, { workerData }));
  await Promise.all(running.map((worker) => once(worker, "message")));
  await Promise.all(running.map((worker) => worker.terminate()));
  expect([...most].slice(1).filter((used) => used !== 2 * workers)).toEqual([]);
});
