import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test, expect } from "vitest";
import { kept } from "../../scripts/screenshots/kept.ts";
import { root } from "./pages.ts";

const there = globSync("docs/pages/*", { cwd: root })
  .map((file) => path.basename(file, ".png"))
  .toSorted();

test("docs/pages has the pictures that scripts/screenshots/kept.ts names, and no other", () => {
  expect(there).toEqual(kept.toSorted());
});

test("a document shows each picture of docs/pages", () => {
  const documents = globSync("{docs/**/,}*.md", { cwd: root }).map((file) =>
    readFileSync(path.join(root, file), "utf8"),
  );
  const shown = documents.flatMap((text) =>
    [...text.matchAll(/!\[[^\]]+\]\((?:docs\/)?pages\/([^)]+)\.png\)/gu)].map(([, name = ""]) => name),
  );
  expect(there).toEqual([...new Set(shown)].toSorted());
});
