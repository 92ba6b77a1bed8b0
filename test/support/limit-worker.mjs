// Counts a key twice in each of many minutes, always at the same moment as the others.
import { parentPort, workerData } from "node:worker_threads";
import { MemoryLimiter } from "../../src/rate-limits/memory-limiter.ts";

const { memory, minutes, gate, workers, most } = workerData;
let now = 0;
const limiter = new MemoryLimiter(memory, () => now);
for (let minute = 1; minute <= minutes; minute += 1) {
  now = minute * 60_000;
  Atomics.add(gate, 0, 1);
  while (Atomics.load(gate, 0) < minute * workers);
  for (let time = 0; time < 2; time += 1) {
    const { limit, remaining } = limiter.count("of one caller", 100, "known");
    const used = limit - remaining;
    for (let seen = Atomics.load(most, minute); used > seen; seen = Atomics.load(most, minute))
      Atomics.compareExchange(most, minute, seen, used);
  }
}
parentPort.postMessage("done");
