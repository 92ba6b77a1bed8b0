import { expect, it } from "vitest";
import { sharedInTurn } from "../../src/storage/gathered.ts";

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

it("a failure is everybody's of its turn, and nobody's of the next", async () => {
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
