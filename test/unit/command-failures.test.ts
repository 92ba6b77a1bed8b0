import { describe, expect, test } from "vitest";
import { reportOf } from "../../src/cli/report.ts";

/** A driver's error as drizzle wraps it. */
function failedQuery(code: string): Error {
  const cause = Object.assign(new Error("driver's words"), { code });
  return Object.assign(new Error("Failed query: insert … params: ada@example.com", { cause }), { query: "insert …" });
}

describe("what a database reports is said in one line that an operator can act on", () => {
  test.each([
    ["SQLITE_FULL", "The database disk is full. Free some space, and run the command again."],
    ["53100", "The database disk is full. Free some space, and run the command again."],
    ["SQLITE_READONLY_DIRECTORY", "The database is not writable: its file or folder is read-only."],
    ["SQLITE_IOERR_WRITE", "The database disk reported an I/O error."],
  ])("%s", async (code, sentence) => {
    const text = `authsvc: ${sentence}\n`;
    expect(await reportOf(failedQuery(code), false, () => [])).toEqual({ text, exitCode: 1 });
  });

  test("and an error that nobody foresaw keeps the query and its values to itself", async () => {
    const { text, exitCode } = await reportOf(failedQuery("23514"), false, () => []);
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^authsvc: unexpected failure: [^\n]*\n$/u);
    expect(text).not.toContain("ada@example.com");
  });
});
