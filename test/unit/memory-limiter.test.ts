import { expect, test } from "vitest";
import { minute } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { Who } from "../../src/lib/rate-limits.ts";
import { MemoryLimiter, newLimitMemory } from "../../src/rate-limits/memory-limiter.ts";

function limiters(count: number) {
  const clock = { now: 30_000_000 * minute };
  const memory = newLimitMemory(systemRandom);
  return { clock, all: Array.from({ length: count }, () => new MemoryLimiter(memory, () => clock.now)) };
}

test("threads count a caller together, and others apart", () => {
  const { all } = limiters(2);
  const used = (key: string): number[] => all.map((limiter) => 10 - limiter.count(key, 10, "known").remaining);
  expect(used("authentication user:a")).toEqual([1, 2]);
  expect(used("authentication user:b")).toEqual([1, 2]);
  expect(used("authentication user:a")).toEqual([3, 4]);
});

test("a new minute begins at zero for every thread, also after stamps repeat", () => {
  const { clock, all } = limiters(2);
  for (const minutes of [0, 1, 2, 4094, 4095, 8190]) {
    clock.now += minutes * minute;
    const used = all.map((limiter) => 10 - limiter.count("authentication user:a", 10, "known").remaining);
    expect(used).toEqual([1, 2]);
  }
});

test("many callers do not share counters, and a caller over its limit stays over it", () => {
  const [first, second] = limiters(2).all as [MemoryLimiter, MemoryLimiter];
  const callers = Array.from({ length: 40_000 }, (_, position) => `authentication address:${position}`);
  for (const caller of callers) expect(first.count(caller, 2, "stranger").remaining).toBe(1);
  for (const caller of callers)
    expect(second.count(caller, 2, "stranger")).toMatchObject({ remaining: 0, exceeded: false });
  for (const caller of callers.slice(0, 100)) expect(first.count(caller, 2, "stranger").exceeded).toBe(true);
});

test("a flood of strangers touches no counter of a known caller", () => {
  const memory = newLimitMemory(systemRandom);
  /** The places that some callers of one kind use, in memory that is theirs alone. */
  const used = (who: Who, callers: number): Set<number> => {
    const counters = new SharedArrayBuffer(memory.counters.byteLength);
    const limiter = new MemoryLimiter({ ...memory, counters }, () => 30_000_000 * minute);
    for (let caller = 0; caller < callers; caller += 1) limiter.count(`authentication ${caller}`, 10, who);
    return new Set(new Int32Array(counters).entries().flatMap(([at, word]) => (word === 0 ? [] : [at])));
  };
  const strangers = used("stranger", 40_000);
  const known = used("known", 1000);
  expect(strangers.size).toBeGreaterThan(known.size);
  expect(known.intersection(strangers)).toEqual(new Set());
});
