import { expect, test } from "vitest";
import { asTable, slowest } from "../support/times.ts";

test("the slowest files of all projects are shown with their times, and without what no system told", () => {
  const times = {
    server: { "a.test.ts": { wall: 3.2, processor: 1.6 }, "b.test.ts": { wall: 1, processor: 1 } },
    long: { "c.test.ts": { wall: 60, processor: undefined } },
  };
  expect(asTable(slowest(times, 2)).split("\n").slice(2)).toEqual([
    "| long | c.test.ts | 60 |  |",
    "| server | a.test.ts | 3 | 2 |",
    "",
  ]);
});
