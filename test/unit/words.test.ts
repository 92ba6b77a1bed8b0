import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findWords, titlesOf } from "../../scripts/words/rules.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Without the texts in other languages, and what a tool writes. */
const sources = globSync("{src,bin,packages/sdk/src}/**/*.ts", {
  cwd: root,
  exclude: ["src/pages/built/**", "**/texts/{de,fr,es,pt,ja,ar}.ts"],
});
const pages = globSync(["docs/**/*.md", "packages/**/README.md", "*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});
const tests = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/unit/words.test.ts"] });

const read = (file: string) => readFileSync(path.join(root, file), "utf8");

test("sources, documents and titles of tests have none of the words on the list", () => {
  expect(Math.min(sources.length, pages.length, tests.length)).toBeGreaterThan(10);
  const texts = [
    ...[...sources, ...pages].map((file): [string, string] => [file, read(file)]),
    ...tests.map((file): [string, string] => [file, titlesOf(read(file))]),
  ];
  const found = texts.flatMap(([file, text]) =>
    findWords(text).map(({ line, word, better }) => `${file}:${line}: "${word}": ${better}`),
  );
  expect(found.join("\n")).toBe("");
});

test.each([
  ["const mostFetches = 1;", "mostFetches"],
  ["// Whoever asks waits.", "Whoever"],
  ["kept for ever", "for ever"],
  ["the login goes on", "goes on"],
  ["/** Not those of others. */", "Not those of"],
  ["0 asks in any case", "asks in any case"],
])("finds the word in: %s", (text, word) => {
  expect(findWords(`\n${text}`)).toEqual([{ line: 2, word, better: expect.any(String) }]);
});

test.each(["almostAll", "most of them", "for everything", "it is not those of others", "gone on"])(
  "leaves in peace: %s",
  (text) => {
    expect(findWords(text)).toEqual([]);
  },
);

test("of a test file, only the titles are read", () => {
  const source = `const most = "whoever";
it("works for ever", async () => {
  expect("goes on").toBe("goes on");
});
test.each([["goes on"]])(
  "%s",
  (text) => {},
);
`;
  expect(findWords(titlesOf(source)).map(({ line, word }) => [line, word])).toEqual([[2, "for ever"]]);
});
