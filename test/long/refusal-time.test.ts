import { describe, expect, it } from "vitest";
import { createHasher } from "../../src/credentials/passwords/hasher.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { costsOf, isBetween } from "../support/processor-time.ts";

const hasher = createHasher(
  { memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: 2, queueSize: 4 },
  systemRandom,
);

describe("the time of a refusal", () => {
  it.each([
    ["pbkdf2", `$pbkdf2-sha512$i=200000$c2FsdA$${Buffer.alloc(64).toString("base64")}`],
    ["bcrypt", `$2b$11$${"a".repeat(21)}u${"a".repeat(31)}`],
  ])(
    "L6: is the same for a user whose hash is cheaper than others of %s, and for a stranger",
    async (appId, costly) => {
      const turn = { appId, account: "", isKnown: false };
      const cheap = "$ssha-sha512$c2FsdA$c2FsdA".replace(/[^$]*$/u, Buffer.alloc(64).toString("base64"));
      // In another application, before: what one digest takes here says nothing about another.
      const ofSha1 = `$pbkdf2-sha1$i=40000$c2FsdA$${Buffer.alloc(20).toString("base64")}`;
      for (let time = 0; time < 20; time += 1) await hasher.verify(ofSha1, "wrong", { ...turn, appId: "other" });
      hasher.learn(appId, costly);
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
    },
  );
});
