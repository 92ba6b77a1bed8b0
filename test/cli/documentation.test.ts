import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands, newProgram } from "./program-commands.ts";

const pageOf = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const page = pageOf("command-line.md");
const known = allCommands(newProgram())
  .filter(({ command }) => command.commands.length === 0)
  .map(({ path }) => path.join(" "));

// That every command of the pages does what it says: test/docs/commands.test.ts.
describe("docs/command-line.md", () => {
  const listed = [...page.slice(page.indexOf("## All commands")).matchAll(/^\| (`[^|]+) \|/gmu)].flatMap(
    ([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name),
  );

  test("lists every command that there is, and no other", () => {
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});
