import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, textOf } from "./pages.ts";

/** Every document that git has. */
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

/** Lines with what is found: `file: line`. */
function linesWith(pattern: RegExp): string[] {
  return documents.flatMap((file) =>
    textOf(file)
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line}`),
  );
}

// Nothing is published: anybody could register the name and run a program on readers' machines.
test.each([
  ["npx or npm exec", /\b(?:npx|npm exec|pnpm dlx|bunx)\b[^`|]*?\s@?authsvc\b(?!\/)/u],
  ["npm install by name", /\bnpm (?:i|install|add)\b(?:[^`|]*\s)?@?authsvc(?:\/\w+)?(?:@\S+)?(?=\s|`|$)/u],
  ["pip by name", /\bpipx? (?:install|run)\b(?:[^`|]*\s)?authsvc(?=\s|`|=|$)/u],
  ["a registry of images", /\b(?:docker|podman) pull\b|\b(?:ghcr|docker|quay)\.io\/\S*authsvc/u],
  [
    "a repository of charts, formulas or packages",
    /\bhelm repo add\b|\bbrew install authsvc\b|\b(?:apt-get|dnf) install authsvc\b/u,
  ],
])("no document runs a package called authsvc from anywhere: %s", (_what, pattern) => {
  expect(linesWith(pattern)).toEqual([]);
});

test("no document speaks of downloads and releases that do not exist, or says that there are none in passing", () => {
  const untrue =
    /releases of this repository|\bDownload (?:the|its|your) (?:archive|package|file|image|release)|[Tt]here are no downloads|\/releases\/(?:latest|download)/u;
  expect(linesWith(untrue)).toEqual([]);
});

test("npx in a document runs tools that are locked here or that their owners publish, and nothing else", () => {
  const known = ["vitest", "next", "vite", "create-next-app", "sv", "--no-install", "node@22"];
  const run = documents.flatMap((file) =>
    [...textOf(file).matchAll(/`npx (?:--yes )?(?:--package )?(\S+?)[\s`]/gu)].map(([, name = ""]) => name),
  );
  expect(run.filter((name) => !known.includes(name))).toEqual([]);
});

test("what needs a release that is published stands under a heading that says so, without a command", () => {
  const [, section = ""] = textOf("docs/installing.md").split("## Once it is published\n");
  expect(section).toContain("None of this works today.");
  expect(section).not.toContain("```");
});
