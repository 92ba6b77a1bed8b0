import { expect, it } from "vitest";
import { sharedInTurn } from "../../src/storage/queries/gathered.ts";

type Question = { key: string; now: number };

it("what callers of a turn ask alike is asked once, by the newest of them, and anew in the next turn", async () => {
  const asked: Question[] = [];
  const ask = sharedInTurn(
    ({ key }: Question) => key,
    async (question) => {
      asked.push(question);
      if (question.key === "unknown") return undefined;
      return `${question.key} at ${question.now}`;
    },
  );
  const questions = ["a", "b", "a", "unknown", "a"].map((key, now) => ({ key, now }));
  const answers = questions.map((question) => ask(question));
  expect(asked).toEqual([]);
  expect(await Promise.all(answers)).toEqual(["a at 4", "b at 1", "a at 4", undefined, "a at 4"]);
  expect(asked).toHaveLength(3);
  expect(await ask({ key: "a", now: 5 })).toBe("a at 5");
});

it("a question that fails does not fail the others of its turn", async () => {
  const ask = sharedInTurn(
    (key: string) => key,
    async (key) => {
      if (key === "bad") throw new Error("disk");
      return key;
    },
  );
  const outcomes = await Promise.allSettled(["a", "bad", "b", "bad", "c", "d", "e"].map((key) => ask(key)));
  expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "failed"))).toEqual([
    "a",
    "failed",
    "b",
    "failed",
    "c",
    "d",
    "e",
  ]);
});

it("a turn with many different questions asks four at once", async () => {
  let [atOnce, most] = [0, 0];
  const ask = sharedInTurn(
    (key: number) => String(key),
    async (key) => {
      most = Math.max(most, (atOnce += 1));
      await new Promise(setImmediate);
      atOnce -= 1;
      return key;
    },
  );
  const keys = Array.from({ length: 100 }, (_, key) => key);
  expect(await Promise.all(keys.map((key) => ask(key)))).toEqual(keys);
  expect(most).toBe(4);
});

it("a failure is everybody's who asked it, and nobody's of the next turn", async () => {
  let isBroken = true;
  const ask = sharedInTurn(
    (key: string) => key,
    async (key) => {
      if (isBroken) throw new Error("disk");
      return key;
    },
  );
  const outcomes = await Promise.allSettled([ask("a"), ask("a")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isBroken = false;
  expect(await ask("a")).toBe("a");
});
