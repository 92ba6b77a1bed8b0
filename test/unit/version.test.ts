import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { openApiDocument } from "../support/routes.ts";
import { root } from "../docs/pages.ts";

const { version } = packageFile;
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("the version is the same everywhere", () => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/u);
  const said = {
    ...Object.fromEntries(
      ["package-lock.json", "packages/sdk/package.json", "packages/examples/package.json"].map((file) => [
        file,
        (JSON.parse(read(file)) as { version: string }).version,
      ]),
    ),
    python: /^__version__ = "(.*)"$/mu.exec(read("packages/python/authsvc.py"))?.[1],
    changelog: /^## (\d\S+)/mu.exec(read("CHANGELOG.md"))?.[1],
    openapi: (openApiDocument("https://auth.example.com")["info"] as { version: string }).version,
  };
  expect(Object.values(said), JSON.stringify(said)).toEqual(Object.values(said).map(() => version));
  const pages = ["README.md", ...globSync("{docs,packages}/**/*.md", { cwd: root, exclude: ["**/node_modules/**"] })];
  const named = pages.flatMap((page) => read(page).match(/\bauthsvc[\w-]*?[-_]\d+\.\d+\.\d+/gu) ?? []);
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((each) => !each.endsWith(version))).toEqual([]);
});
