import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { pages, root, textOf } from "./pages.ts";

const maintainers = ["CHANGELOG.md", "CONTRIBUTING.md", "test/security/rules.md"];
const all = [...pages, ...maintainers, ...globSync("docs/{decisions,spec}/*.md", { cwd: root })];

/** The text without its blocks and spans of code, in which brackets are no links. */
function prose(page: string): string {
  return textOf(page)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gmu, "")
    .replaceAll(/`[^`\n]*`/gu, (span) => span.replaceAll(/[[\]()]/gu, ""));
}

/**
 * As GitHub makes them from headings: small letters, no punctuation, a dash for each space; the
 * second of a name is counted.
 */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [
    ...textOf(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gmu, "")
      .matchAll(/^#{1,6} (.+)$/gmu),
  ];
  return new Set(
    headings.map(([, heading = ""]) => {
      const name = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/gu, "-");
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      return count === 0 ? name : `${name}-${count}`;
    }),
  );
}

test.each(all)("the links of %s lead somewhere", (page) => {
  const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^(?:https?|mailto):/u.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(root, file))) return true;
      if (anchor === undefined) return false;
      return statSync(join(root, file)).isDirectory() || !anchorsOf(file).has(anchor);
    });
  expect(broken).toEqual([]);
});

test("the index names every page", () => {
  const index = textOf("docs/README.md");
  const unnamed = pages
    .filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
    .filter((page) => !index.includes(`](${page.slice("docs/".length)}`));
  expect(unnamed).toEqual([]);
});

test.each(["CONTRIBUTING.md", "docs/architecture.md"])("the files that %s names are there", (page) => {
  const named = [...textOf(page).matchAll(/`((?:src|test|scripts|bench|docs|deploy)\/[^`\s]*)`/gu)]
    .map(([, file = ""]) => file)
    .filter((file) => !file.includes("…"));
  expect(named).not.toEqual([]);
  expect(named.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([]);
});
