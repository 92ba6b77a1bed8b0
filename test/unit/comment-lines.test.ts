import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "rolldown/utils";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const maxColumns = 100;
const maxLines = 2;

/** A comment and the lines of the file that it is on. Consecutive line comments are one comment. */
type Comment = { place: string; isDocstring: boolean; lines: string[] };

const files = globSync("{src,bin,scripts,bench,test,packages/sdk/src}/**/*.{ts,mjs}", {
  cwd: root,
  exclude: ["src/pages/built/**", "packages/sdk/src/api.ts"],
});

/** Uses a parser instead of a pattern: a string may look like a comment. */
function commentsOf(file: string): Comment[] {
  const source = readFileSync(path.join(root, file), "utf8");
  const lines = source.split("\n");
  const found: (Comment & { last: number; isLine: boolean })[] = [];
  for (const { type, value, start, end } of parseSync(file, source).comments) {
    const first = source.slice(0, start).split("\n").length;
    const last = source.slice(0, end).split("\n").length;
    const isLine = type === "Line" && lines[first - 1]?.trimStart().startsWith("//") === true;
    const before = found.at(-1);
    const own = lines.slice(first - 1, last);
    if (isLine && before?.isLine === true && before.last === first - 1) {
      before.lines.push(...own);
      before.last = last;
    } else {
      const isDocstring = type === "Block" && value.startsWith("*");
      found.push({ place: `${file}:${first}`, isDocstring, lines: own, last, isLine });
    }
  }
  return found;
}

const comments = files.flatMap(commentsOf);

test("no line of a comment is longer than 100 columns", () => {
  expect(comments.length).toBeGreaterThan(1000);
  const long = comments.filter(({ lines }) => lines.some((line) => line.length > maxColumns));
  expect(long.map(({ place }) => place)).toEqual([]);
});

test("no comment but a docstring is longer than two lines", () => {
  const long = comments.filter(({ isDocstring, lines }) => !isDocstring && lines.length > maxLines);
  expect(long.map(({ place }) => place)).toEqual([]);
});
