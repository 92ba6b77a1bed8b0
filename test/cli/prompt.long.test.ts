import { describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer } from "./in-process.ts";
import { hasTerminal, noTerminal, onTerminal } from "./terminal.ts";
import { leftOut } from "../support/left-out.ts";

describe.skipIf(!hasTerminal)(`on a terminal${leftOut(hasTerminal ? undefined : noTerminal)}`, () => {
  test("a missing value is asked for", async () => {
    const { code, screen } = await onTerminal(["app", "create"], [["Name of the application", "Shop\r"]]);
    expect(code).toBe(0);
    expect(screen).toMatch(/App ID {3}app_/);
  });

  test("a secret is asked for unseen", async () => {
    const { code, screen } = await onTerminal(["token", "verify"], [["Access token", "top.secret.token\r"]]);
    expect(code).toBe(1);
    expect(screen).toContain("the token is not valid");
    expect(screen).not.toContain("secret");
  });

  test("what destroys asks first, and says what would go: no changes nothing and is exit code 4", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    await answer(["user", "create", "--app", "app_shop", "--email", "ada@example.com"], { cwd });
    const question = "Delete Shop (app_shop) and its 1 user?";
    const refused = await onTerminal(["app", "delete", "app_shop"], [[question, "n\r"]], cwd);
    expect(refused.code).toBe(4);
    expect(refused.screen).toContain("Nothing was changed.");
    expect(await answer(["app", "list"], { cwd })).toHaveLength(1);
    expect((await onTerminal(["app", "delete", "app_shop"], [[question, "y\r"]], cwd)).code).toBe(0);
    expect(await answer(["app", "list"], { cwd })).toEqual([]);
  });

  test("Ctrl-C in a question is exit code 130, without a word", async () => {
    const { code, screen } = await onTerminal(["app", "create"], [["Name of the application", "\u0003"]]);
    expect(code).toBe(130);
    expect(screen).not.toContain("authsvc:");
  });
});
