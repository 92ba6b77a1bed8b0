import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, textOf } from "./pages.ts";

/** Each module, with the file that was named last before it. */
let file = "";
const listed = textOf("docs/openid-conformance.md")
  .split("\n")
  .flatMap((line) => {
    file = /\]\(\.\.\/(test\/http\/openid\/conformance-\S+?)\)/u.exec(line)?.[1] ?? file;
    const module = /^\| `((?:oidcc|fapi2)-[\w-]+)` \|/u.exec(line)?.[1];
    return module === undefined ? [] : [{ module, file }];
  });

/** The modules that titles of tests name; plans are titles of groups. */
const tested = globSync("test/http/openid/conformance-*.test.ts", { cwd: root }).flatMap((file) =>
  [...textOf(file).matchAll(/"((?:oidcc|fapi2)-[\w-]*\w)"/gu)]
    .map(([, module = ""]) => ({ module, file: join(file) }))
    .filter(({ module }) => !module.endsWith("-test-plan")),
);

test("the page about conformance names each module once, with the file that tests it", () => {
  expect(listed.length).toBeGreaterThan(45);
  expect(new Set(listed.map(({ module }) => module)).size).toBe(listed.length);
  const byModule = (a: { module: string }, b: { module: string }) => a.module.localeCompare(b.module);
  expect(listed.toSorted(byModule)).toEqual(tested.toSorted(byModule));
});
