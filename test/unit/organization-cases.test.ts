import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");

/** Real bugs of other products, by the number that titles of tests have at their end: "… (41)". */
const all = Array.from({ length: 88 }, (_, at) => at + 1);
/** About provisioning, which is not built yet. */
const later = [...range(60, 65), 67];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** "1, 3–5" */
function numbersIn(list: string): number[] {
  return list.split(", ").flatMap((part) => {
    const [from = 0, to = from] = part.split("–").map(Number);
    return range(from, to);
  });
}

test("each real case about organizations has a test that names it", () => {
  const files = globSync("**/*.test.ts", { cwd: root }).filter((file) =>
    /organi[sz]ation|company-sign-in|import-rules/u.test(file),
  );
  const titles = files.map((file) => readFileSync(path.join(root, file), "utf8")).join("\n");
  const lists = [...titles.matchAll(/ \((\d+(?:(?:, |–)\d+)*)\)"/gu)].map(([, list = ""]) => list);
  const named = new Set(lists.flatMap(numbersIn));
  expect(all.filter((number) => !named.has(number) && !later.includes(number))).toEqual([]);
});
