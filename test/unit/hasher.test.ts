import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { foreignHash } from "../../src/passwords/foreign-hashes.ts";
import { createHasher } from "../../src/passwords/hasher.ts";

const hasher = createHasher(
  { memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: 2, queueSize: 4 },
  systemRandom,
);
const right = "correct horse battery staple";
const stored = await hasher.hash(right);

/** A try that is being counted until `answer` is called. */
function slowCount() {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  return { count: () => promise, answer: resolve, fail: reject };
}

/** Whether it is there within this moment. */
async function isThere(outcome: Promise<unknown>): Promise<boolean> {
  let there = false;
  void outcome.finally(() => (there = true));
  await immediate();
  await immediate();
  return there;
}

/** Processor time of this process in ms, the least of some runs: what else the machine does is not in it. */
async function costOf(work: () => Promise<unknown>, runs = 5): Promise<number> {
  const costs: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
  }
  return Math.min(...costs);
}

describe("checking a password", () => {
  it.each([
    ["known with a wrong password", stored, "wrong"],
    ["unknown", undefined, right],
    ["known with the right password", stored, right],
  ])("computes while the try is counted and nothing afterwards, for somebody %s", async (_who, hash, password) => {
    const { count, answer } = slowCount();
    const outcome = hasher.verify(hash, password, count);
    // Far longer than one hash, and than two.
    await sleep(1000);
    expect(await isThere(outcome)).toBe(false);
    answer(true);
    // Sooner than anything could be hashed.
    expect(await isThere(outcome)).toBe(true);
    expect(await outcome).toBe(hash !== undefined && password === right);
  });

  it("says no to the right password whose try is not admitted", async () => {
    expect(await hasher.verify(stored, right, async () => true)).toBe(true);
    expect(await hasher.verify(stored, right, async () => false)).toBe(false);
  });

  it("fails when its try cannot be counted, whatever the password", async () => {
    const { count, fail } = slowCount();
    const outcome = hasher.verify(stored, right, count);
    fail(new Error("no database"));
    await expect(outcome).rejects.toThrow("no database");
  });

  it("does not count a try that finds the queue full", async () => {
    const { count, answer } = slowCount();
    const tries = Array.from({ length: 6 }, async () => await hasher.verify(stored, "wrong", count));
    let counted = 0;
    const surplus = hasher.verify(stored, right, async () => (counted += 1) > 0);
    await expect(surplus).rejects.toMatchObject({ code: "BUSY" });
    expect(counted).toBe(0);
    answer(true);
    expect(await Promise.all(tries)).toEqual(tries.map(() => false));
  });
});

describe("the time of a refusal", () => {
  const foreign = foreignHash("{SSHA}bIM/N5mkuv5X26pDKL8lXVhTaQgBAgME");
  const imported = "hash" in foreign ? foreign.hash : "";

  it("L6: does not tell the right password of an account that must wait, in whatever code points it was typed", async () => {
    const typed = "pässwörter sind schön";
    const decomposed = typed.normalize("NFD");
    const composed = await hasher.hash(typed);
    const ofRight = await costOf(() => hasher.verify(composed, decomposed, async () => false));
    const ofWrong = await costOf(() => hasher.verify(composed, `${decomposed}!`, async () => false));
    expect(ofRight / ofWrong).toBeGreaterThan(0.7);
    expect(ofRight / ofWrong).toBeLessThan(1.4);
  });

  it.each([
    ["imported with a cheap hash", imported],
    ["of this service", stored],
    ["unknown", undefined],
  ])("L6: is one of today's hashes beside the count, and a cheap one after it, for somebody %s", async (_who, hash) => {
    const ofOne = await costOf(() => hasher.hash(right));
    // From now on refusals are made like it.
    await hasher.verify(imported, "wrong", async () => true);
    const { count, answer } = slowCount();
    const beside = process.cpuUsage();
    const outcome = hasher.verify(hash, "wrong", count);
    await sleep(300);
    const { user, system } = process.cpuUsage(beside);
    expect((user + system) / 1000).toBeGreaterThan(ofOne / 2);
    const after = await costOf(async () => {
      answer(true);
      expect(await outcome).toBe(false);
    }, 1);
    expect(after).toBeLessThan(ofOne / 2);
  });
});
