import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { program } from "../support/program.ts";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { hasTerminal, noTerminal, programOnTerminal } from "./terminal.ts";
import { leftOut } from "../support/left-out.ts";

describe.skipIf(!hasTerminal)(`on a terminal of 80 columns${leftOut(hasTerminal ? undefined : noTerminal)}`, () => {
  const cwd = emptyFolder();
  const addresses = ["ada.king.of.lovelace@analytical-engines.example.com", "bob@example.com"];

  beforeAll(async () => {
    await answer(
      ["app", "create", "--name", "Shop", "--id", "app_shop", "--redirect-uri", "http://localhost:3000/cb"],
      { cwd },
    );
    for (const email of addresses)
      await answer(["user", "create", "--app", "app_shop", "--email", email, "--name", "Somebody With Several Names"], {
        cwd,
      });
  });

  const shown = async (args: string[], env: Record<string, string> = {}, steps: [string, string][] = []) =>
    await programOnTerminal([...program, ...args], steps, { cwd, env });

  test("a table fits, breaks no word, and says how long ago something was", async () => {
    const { code, screen } = await shown(["audit", "list"]);
    expect(code).toBe(0);
    const lines = stripVTControlCharacters(screen).replaceAll("\r", "").trimEnd().split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeGreaterThan(4);
    expect(screen).toMatch(/\d+ (?:s|min) ago|now/u);
    for (const { action } of (await answer(["audit", "list"], { cwd })) as { action: string }[])
      expect(screen).toContain(action);
    const users = await shown(["user", "list", "--app", "app_shop"]);
    expect(users.screen).toContain("USER ID");
    expect(users.screen).toContain("bob@example.com");
    const piped = await authsvc(["user", "list", "--app", "app_shop"], { cwd });
    for (const address of addresses) expect(piped.stdout).toContain(address);
    expect((await authsvc(["audit", "list"], { cwd })).stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z/mu);
  });

  test("findings of doctor have colours, and none where NO_COLOR or TERM=dumb say so", async () => {
    expect((await shown(["doctor"])).screen).toContain("\u001b[32mok");
    for (const env of [
      { NO_COLOR: "1", TERM: "xterm" },
      { NO_COLOR: "", TERM: "dumb" },
    ])
      expect((await shown(["doctor"], env)).screen).not.toContain("\u001b[");
  });

  test("serve says where everything is, what is missing and what to do next", async () => {
    const { code, screen } = await shown(["serve", "--port", "0"], {}, [["Next, in another terminal", "\u0003"]]);
    expect(code).toBe(0);
    expect(screen).toMatch(/^listening on http:\/\/localhost:\d+\r?\n/u);
    for (const line of [
      /Base URL +http/u,
      /Database +SQLite in/u,
      /Mail +off/u,
      /Applications +Shop \(app_shop\)/u,
      /Account page/u,
    ])
      expect(screen).toMatch(line);
    expect(screen).not.toContain('{"level"');
  });
});

test("the root help lists commands in groups", async () => {
  const { stdout } = await authsvc(["--help"], { cwd: emptyFolder() });
  const groups = [...stdout.matchAll(/^([A-Z]\w+):/gmu)].map(([, name]) => name);
  expect(groups.slice(2, 10)).toEqual([
    "Run",
    "Applications",
    "Users",
    "Keys",
    "Webhooks",
    "Mail",
    "Database",
    "Diagnose",
  ]);
});
