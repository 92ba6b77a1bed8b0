import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands, commandsOf, newProgram } from "./program-commands.ts";

const pageOf = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const page = pageOf("command-line.md");
const known = allCommands(newProgram())
  .filter(({ command }) => command.commands.length === 0)
  .map(({ path }) => path.join(" "));

describe("docs/command-line.md", () => {
  const listed = [...page.slice(page.indexOf("## All commands")).matchAll(/^\| (`[^|]+) \|/gmu)].flatMap(
    ([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name),
  );

  test("lists every command that there is, and no other", () => {
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

describe.each(["command-line.md", "operating.md"])("the commands in docs/%s", (name) => {
  const lines = [...pageOf(name).matchAll(/```sh\n([\s\S]*?)```/gu)]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => line.replace(/\s+# .*$/u, ""));

  test.each(lines)("%s", async (line) => {
    const ran = await commandsOf(line.replace("authsvc help app update", "authsvc app list"));
    expect(known).toContain(ran[0]);
  });
});
