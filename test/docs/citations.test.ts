import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { checklist } from "../security/checklist.ts";
import { root, textOf } from "./pages.ts";

const sources = globSync("{src,test,scripts,bench,bin}/**/*.{ts,mjs,css}", {
  cwd: root,
  exclude: ["test/docs/*", "src/pages/built/*"],
});

/** Where a pattern is found: `file: what was found`. */
function found(pattern: RegExp): { file: string; text: string; groups: Record<string, string> }[] {
  return sources.flatMap((file) =>
    [...textOf(file).matchAll(pattern)].map(({ 0: text, groups = {} }) => ({ file, text, groups })),
  );
}

const pages = new Map(globSync("docs/spec/*.md", { cwd: root }).map((page) => [page, sectionsOf(page)]));

/** The numbers before headings: "9", "4.1". */
function sectionsOf(page: string): Set<string> {
  return new Set([...textOf(page).matchAll(/^#{2,3} ([\d.]*\d)\.? /gmu)].map(([, section = ""]) => section));
}

test("each citation of the specification names a page and a section that exist", () => {
  const cited = found(/docs\/spec\/(?:(?<page>[a-z-]+\.md), (?<section>\d+(?:\.\d+)?))?/gu);
  expect(cited.length).toBeGreaterThan(50);
  const wrong = cited.filter(({ groups: { page, section = "" } }) => !pages.get(`docs/spec/${page}`)?.has(section));
  expect(wrong).toEqual([]);
});

test("each line of the security checklist that follows the contract names a section that exists", () => {
  const cited = checklist.flatMap(({ source }) => [...source.matchAll(/contract (?<section>[\d.]+)/gu)]);
  expect(cited).not.toEqual([]);
  const sections = pages.get("docs/spec/http-api.md");
  expect(cited.filter(({ groups: { section = "" } = {} }) => !sections?.has(section))).toEqual([]);
});

test("each citation of a decision record names one that exists", () => {
  const records = globSync("docs/decisions/*.md", { cwd: root });
  const cited = found(/docs\/decisions\/(?<number>\d{4}(?!-))?/gu);
  expect(cited).not.toEqual([]);
  const wrong = cited.filter(({ groups: { number } }) => !records.some((page) => page.includes(`/${number}-`)));
  expect(wrong).toEqual([]);
});

test("nothing cites the specification or a record in another form", () => {
  const elsewhere = found(/\b(?:decisions? \d+|contract,? (?:section )?\d)/giu);
  expect(elsewhere.filter(({ file }) => file !== "test/security/checklist.ts")).toEqual([]);
});
