import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { createHasher } from "../../src/passwords/hasher.ts";

const hasher = createHasher(
  { memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: 2, queueSize: 4 },
  systemRandom,
);
const right = "correct horse battery staple";
const stored = await hasher.hash(right);

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
    ["known with the right password", stored, right, true],
    ["known with a wrong password", stored, "wrong", false],
    ["unknown", undefined, right, false],
  ])("is right about somebody %s", async (_who, hash, password, isRight) => {
    expect(await hasher.verify(hash, password)).toMatchObject({ isRight });
  });

  it("is refused when the queue is full, while those who are in it go on", async () => {
    // One for each processor, one that the pool takes next, and the queue.
    const tries = Array.from({ length: 2 + 1 + 4 }, async () => await hasher.verify(stored, right));
    expect(hasher.isBusy()).toBe(availableParallelism() <= 2);
    expect(hasher.load()).toEqual({ running: 3, waiting: 4 });
    expect(() => hasher.admit()).toThrow(expect.objectContaining({ code: "BUSY" }));
    await expect(hasher.verify(stored, right)).rejects.toMatchObject({ code: "BUSY" });
    await expect(hasher.hash(right)).rejects.toMatchObject({ code: "BUSY" });
    expect((await Promise.all(tries)).map(({ isRight }) => isRight)).toEqual(tries.map(() => true));
    expect(hasher.load()).toEqual({ running: 0, waiting: 0 });
    expect(hasher.isBusy()).toBe(false);
  });

  it("never runs two at once where there is one processor, and ends what it has begun however full the queue", async () => {
    const alone = createHasher(
      { memoryKiB: 64, iterations: 1, parallelism: 1, concurrency: 1, queueSize: 1 },
      systemRandom,
    );
    // One of another service: it is looked at after one of today's, in a turn of its own.
    const tries = [alone.verify(stored, right), alone.verify(stored, right)];
    expect(alone.load()).toEqual({ running: 1, waiting: 1 });
    for (const { isRight } of await Promise.all(tries)) expect(isRight).toBe(true);
  });
});

/** What comes before somebody is told that a password will not do. */
async function refuse(hash: string | undefined, password: string): Promise<void> {
  const { evenOut } = await hasher.verify(hash, password);
  await evenOut();
}

describe("the time of a refusal", async () => {
  // As dear as one of ours, so that one that is missing, or one too many, can be told by the processor's time.
  const imported = await createHasher(
    { memoryKiB: 38912, iterations: 1, parallelism: 1, concurrency: 2, queueSize: 4 },
    systemRandom,
  ).hash(right);

  it("L6: does not tell the right password of an account that must wait, in whatever code points it was typed", async () => {
    const typed = "pässwörter sind schön";
    const decomposed = typed.normalize("NFD");
    const composed = await hasher.hash(typed);
    const ofRight = await costOf(() => refuse(composed, decomposed));
    const ofWrong = await costOf(() => refuse(composed, `${decomposed}!`));
    expect(ofRight / ofWrong).toBeGreaterThan(0.7);
    expect(ofRight / ofWrong).toBeLessThan(1.4);
  });

  it.each([
    ["imported, with the right password", imported, right],
    ["imported, with a wrong password", imported, "wrong"],
    ["of this service, with the right password", stored, right],
    ["of this service, with a wrong password", stored, "wrong"],
    ["unknown", undefined, right],
  ])(
    "L6: is one of today's hashes and one like that of who was imported last, for somebody %s",
    async (_who, hash, password) => {
      const ofOne = await costOf(() => hasher.hash(right));
      await hasher.verify(imported, "wrong");
      const ofRefusal = await costOf(() => refuse(hash, password));
      expect(ofRefusal / (2 * ofOne)).toBeGreaterThan(0.7);
      expect(ofRefusal / (2 * ofOne)).toBeLessThan(1.4);
    },
  );
});
