// The CPU time of the rate limiter per call, and its memory in a flood of addresses: node
// --expose-gc bench/rate-limits.ts
import { addressKey, limitKey } from "../src/http/addresses.ts";
import { LocalLimiter } from "../src/rate-limits/limiter.ts";
import { createSharedLimiter } from "../src/rate-limits/shared.ts";

const takes = 3_000_000;
const million = 1_000_000;

async function nanosecondsEach(count: number, work: () => Promise<void> | void): Promise<string> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return `${Math.round(((user + system) * 1000) / count)} ns`;
}

const limiter = new LocalLimiter(Date.now);
const users = Array.from({ length: 10_000 }, (_, n) => `user:usr_0199e0a0b1c2d3e4f5061728394a5b${n}`);

for (let round = 1; round <= 3; round += 1) {
  const known = await nanosecondsEach(takes, () => {
    for (let n = 0; n < takes; n += 1)
      limiter.count(limitKey("authentication", users[n % users.length] ?? ""), 100, "known");
  });
  const stranger = await nanosecondsEach(takes, () => {
    for (let n = 0; n < takes; n += 1)
      limiter.count(limitKey("authentication", addressKey("203.0.113.7")), 100, "stranger");
  });
  console.log(`in memory, round ${round}: ${known} a take by user, ${stranger} by address`);
}

function flood(prefix: string): number {
  const before = heap();
  for (let n = 0; n < million; n += 1)
    limiter.count(`authentication address:${prefix}:${n >> 16}:${n & 65_535}::/64`, 100, "stranger");
  return Math.round((heap() - before) / 1e6);
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

console.log(`a million new addresses in a minute: ${flood("2001:db8")} MB; a million more: ${flood("2001:db9")} MB`);

/** Answers like a database that no other node uses. */
const shared = createSharedLimiter({
  addToCounts: async (counts) => new Map(counts.map(({ digest, used }) => [digest, used])),
  digestOf: (key) => key,
  clock: Date.now,
});
const setAside = await nanosecondsEach(takes, async () => {
  for (let n = 0; n < takes; n += 1) {
    const limitResult = shared.count("authentication app:app_1", 1e9, "known");
    if (limitResult instanceof Promise) await limitResult;
  }
});
console.log(`a point that is set aside: ${setAside} a take`);
