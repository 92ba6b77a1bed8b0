import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
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
