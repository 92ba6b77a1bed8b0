import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, textOf } from "./pages.ts";

const listed = [
  ...textOf("docs/openid-conformance.md").matchAll(/^\| `(oidcc-[\w-]+)` \|.*\]\(\.\.\/(\S+?)\) \|$/gmu),
].map(([, module = "", file = ""]) => ({ module, file }));

/** The modules that titles of tests name; plans are titles of groups. */
const tested = globSync("test/http/openid/conformance-*.test.ts", { cwd: root }).flatMap((file) =>
  [...textOf(file).matchAll(/"(oidcc-[\w-]*\w)"/gu)]
    .map(([, module = ""]) => ({ module, file: join(file) }))
    .filter(({ module }) => !module.endsWith("-test-plan")),
);

test("the page about conformance names each module once, with the file that tests it", () => {
  expect(listed.length).toBeGreaterThan(45);
  expect(new Set(listed.map(({ module }) => module)).size).toBe(listed.length);
  const byModule = (a: { module: string }, b: { module: string }) => a.module.localeCompare(b.module);
  expect(listed.toSorted(byModule)).toEqual(tested.toSorted(byModule));
});
