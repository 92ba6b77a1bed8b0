import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventKinds } from "../../src/storage/column-types.ts";
import { root, textOf } from "./pages.ts";

const sources = globSync("src/**/*.ts", { cwd: root })
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");

/** Messages in the first cells of tables: what people see, and look for. */
function messagesOf(page: string): string[] {
  const cells = [...textOf(page).matchAll(/^\| ([^|]+) \|/gmu)].map(([, cell = ""]) => cell);
  const quoted = cells.flatMap((cell) => [...cell.matchAll(/"([^"]+)"/gu)].map(([, text = ""]) => text));
  const lines = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+ [^`]+)`/gu)].map(([, text = ""]) => text));
  return [...quoted, ...lines].filter((text) => text.includes(" "));
}

/** Names and values that a message fills in, and the ends of its sentences. */
const filledIn =
  /…|^baseUrl\b|--port|8080|443|127\.0\.0\.1|database\.url\b|connect ECONNREFUSED|file is not a database|[.;:] /u;

/** What of a message the program says always. */
function fixedParts(message: string): string[] {
  return message
    .split(filledIn)
    .map((part) => part.replace(/^[\s?:.,]+|[\s?:.,]+$/gu, ""))
    .filter((part) => part.length > 4);
}

describe.each(["docs/troubleshooting.md", "docs/providers.md"])("%s", (page) => {
  // Google's, Facebook's and the system's words.
  const theirs = /^(?:invalid redirect|URL blocked|error while loading shared libraries: .+)$/u;
  const messages = messagesOf(page).filter((message) => !theirs.test(message));

  test.each(messages)("explains what the program really says: %s", (message) => {
    const parts = fixedParts(message);
    expect(parts).not.toEqual([]);
    expect(parts.filter((part) => !sources.includes(part))).toEqual([]);
  });
});

test("docs/webhooks.md lists every event", () => {
  const rows = textOf("docs/webhooks.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  for (const kind of eventKinds) expect([kind, rows.some((row) => row.includes(`\`${kind}\``))]).toEqual([kind, true]);
});
