import { describe, expect, it } from "vitest";
import { createHasher } from "../../src/credentials/passwords/hasher.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { costsOf, isBetween } from "../support/processor-time.ts";

const hasher = createHasher(
  { memoryKiB: 4096, iterations: 2, parallelism: 1, concurrency: 2, queueSize: 4 },
  systemRandom,
);
const right = "correct horse battery staple";
const stored = await hasher.hash(right);

describe("checking a password", () => {
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
  // As dear as one of ours, so that one that is missing, or one too many, can be told by the
  // processor's time.
  const elsewhere = createHasher(
    { memoryKiB: 8192, iterations: 1, parallelism: 1, concurrency: 2, queueSize: 4 },
    systemRandom,
  );
  const imported = await elsewhere.hash(right);

  it("L6: does not tell the right password of an account that must wait, in whatever code points it was typed", async () => {
    const typed = "pässwörter sind schön";
    const decomposed = typed.normalize("NFD");
    const composed = await hasher.hash(typed);
    const kinds = {
      ofRight: () => refuse(composed, decomposed),
      ofWrong: () => refuse(composed, `${decomposed}!`),
    };
    const isEven = (least: Record<keyof typeof kinds, number>) => isBetween(least.ofRight / least.ofWrong, 0.7, 1.4);
    expect(await costsOf(kinds, isEven)).toSatisfy(isEven);
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
      await hasher.verify(imported, "wrong");
      const kinds = {
        ofRefusal: () => refuse(hash, password),
        ofToday: () => hasher.hash(right),
        ofImported: () => elsewhere.hash(right),
      };
      // One hash too few is 0.5, one too many 1.5.
      const isEven = ({ ofRefusal, ofToday, ofImported }: Record<keyof typeof kinds, number>) =>
        isBetween(ofRefusal / (ofToday + ofImported), 0.75, 1.25);
      expect(await costsOf(kinds, isEven)).toSatisfy(isEven);
    },
  );
});
