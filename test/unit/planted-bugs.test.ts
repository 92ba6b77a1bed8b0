import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bugs } from "../simulation/bugs.ts";

const src = join(import.meta.dirname, "../../src");

test("what a planted bug of the simulation replaces stands once in its file", () => {
  expect(bugs.length).toBeGreaterThan(25);
  const lost = bugs.filter(({ file, replaced }) => readFileSync(join(src, file), "utf8").split(replaced).length !== 2);
  expect(lost.map(({ name }) => name)).toEqual([]);
});
