import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { blocksOf, root, textOf } from "./pages.ts";

/** The code that people copy, apart from commands and the calls that readme.long.test.ts makes. */
const programs = ["README.md", "docs/quick-start.md"]
  .flatMap(blocksOf)
  .filter(({ language }) => ["js", "jsx", "svelte", "python"].includes(language))
  .filter(({ text }) => !text.includes("node:readline"))
  .map(({ page, text }) => [page, text.split("\n")[0] ?? "", text] as const);

// test/long/sdk-examples.test.ts and python-package.test.ts run these files in a browser.
const examples = globSync(["packages/examples/**/*.{js,jsx,svelte,html}", "packages/python/examples/*.py"], {
  cwd: root,
  exclude: (name) => /(?:^|\/)(?:node_modules|\.next|\.svelte-kit|build)$/u.test(name),
});

test.each(programs)("%s shows an example that is tested: %s", (_page, _first, text) => {
  expect(examples.filter((file) => textOf(file).trimEnd() === text)).not.toEqual([]);
});

// Their generators write some files, such as `vite.config.js`. `cli` is without the package.
test("no example has more than 45 lines of its own", () => {
  const own = examples.filter((file) =>
    /^packages\/examples\/(?!cli\/|.*(?:vite\.config\.js|app\.html|next\.config\.js|layout\.jsx)$)/u.test(file),
  );
  const lines = new Map<string, number>();
  for (const file of own) {
    const [, , name = ""] = file.split("/");
    lines.set(name, (lines.get(name) ?? 0) + textOf(file).trimEnd().split("\n").length);
  }
  expect(lines.size).toBe(8);
  expect([...lines].filter(([, count]) => count > 45)).toEqual([]);
});
