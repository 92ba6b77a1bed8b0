import { describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "./terminal.ts";

describe.skipIf(!hasTerminal)("on a terminal", () => {
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

  test("Ctrl-C in a question is exit code 130, without a word", async () => {
    const { code, screen } = await onTerminal(["app", "create"], [["Name of the application", "\u0003"]]);
    expect(code).toBe(130);
    expect(screen).not.toContain("authsvc:");
  });
});
