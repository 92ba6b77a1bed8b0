import { readFileSync, globSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

/** What people who run or integrate the service read: path from the root of the repository. */
export const pages = ["README.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root }).toSorted()];

export function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export type Block = { page: string; language: string; text: string };

/** Every fenced block of a page. */
export function blocksOf(page: string): Block[] {
  return [...textOf(page).matchAll(/^( *)```(\S*)\n([\s\S]*?)^ *```$/gmu)].map(
    ([, indent = "", language = "", text = ""]) => ({
      page,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gmu"), "").trimEnd(),
    }),
  );
}

/**
 * The first blocks of the README: from a clone to a running service, and from what a release made.
 * test/long/first-steps.test.ts and test/long/released.test.ts run them.
 */
export function firstSteps(): string[] {
  const [, start = "", make = ""] = textOf("README.md").split(/^## .*\n/mu);
  return [...`${start}${make}`.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, block = ""]) => block.trimEnd());
}
