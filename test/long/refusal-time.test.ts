import { describe, expect, it } from "vitest";
import { createHasher } from "../../src/credentials/passwords/hasher.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { costsOf, isBetween } from "../support/processor-time.ts";

const hasher = createHasher(
  { memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: 2, queueSize: 4 },
  systemRandom,
);

describe("the time of a refusal", () => {
  it("L6: is the same for a user whose imported hash is cheaper than those of others, and for a stranger", async () => {
    const turn = { appId: "mixed", account: "", isKnown: false };
    const cheap = "$ssha-sha512$c2FsdA$c2FsdA".replace(/[^$]*$/u, Buffer.alloc(64).toString("base64"));
    hasher.learn("mixed", `$pbkdf2-sha512$i=200000$c2FsdA$${Buffer.alloc(64).toString("base64")}`);
    const refuseIn = async (hash: string | undefined) => await (await hasher.verify(hash, "wrong", turn)).evenOut();
    const older = await createHasher(
      { memoryKiB: 8192, iterations: 2, parallelism: 1, concurrency: 1, queueSize: 1 },
      systemRandom,
    ).hash("correct horse battery staple");
    const kinds = {
      ofCheap: () => refuseIn(cheap),
      ofOlder: () => refuseIn(older),
      ofStranger: () => refuseIn(undefined),
    };
    // The first refusals show what this machine's processor takes for each kind of hash.
    for (const refusal of [...Object.values(kinds), ...Object.values(kinds)]) await refusal();
    const isEven = ({ ofCheap, ofOlder, ofStranger }: Record<keyof typeof kinds, number>) =>
      [ofCheap, ofOlder].every((cost) => isBetween(cost / ofStranger, 0.75, 1.25));
    expect(await costsOf(kinds, isEven)).toSatisfy(isEven);
  });
});
