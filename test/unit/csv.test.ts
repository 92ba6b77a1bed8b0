import { describe, expect, it } from "vitest";
import { csvId, csvLine, csvTime } from "../../src/lib/csv.ts";

/** The cells as a spreadsheet reads them that separates by commas, or by this character. */
function cellsOf(line: string, separator = ","): string[] {
  const cells: string[] = [];
  let [cell, isQuoted] = ["", false];
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (isQuoted && character === '"' && line[at + 1] === '"') [cell, at] = [`${cell}"`, at + 1];
    else if (character === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (!isQuoted && (character === separator || character === "\r")) {
      cells.push(cell);
      cell = "";
    } else if (isQuoted || character !== "\n") cell += character;
  }
  return cells;
}

const formulas = ["=1+1", "+49 30 1234", "-1", "@SUM(A1)", "\t=1", "＝1+1", '=HYPERLINK("https://evil.example","x")'];
const hidden = ["x;=1+1", "x,=1+1", 'x";=1+1', "x\t=1", 'x;"=1+1', "x\n=1", "x; =1+1"];

describe("a table for people", () => {
  it.each([...formulas, ...hidden])(
    "writes %j so that no spreadsheet computes it, whatever separates its cells",
    (text) => {
      const line = csvLine(["usr_1", text, "end"]);
      expect(cellsOf(line)).toHaveLength(3);
      for (const separator of [",", ";", "\t"])
        for (const cell of cellsOf(line, separator)) expect(cell.trimStart()).not.toMatch(/^[=+@＝＋＠－-]/u);
    },
  );

  it.each([
    "Ada Lovelace",
    "O'Brien",
    'Ada "Countess", Lovelace',
    "two\nlines",
    "semi;colon",
    "",
    " blank ",
    "Zoë 🙂",
    "a=b",
    "Müller-Lüdenscheidt",
  ])("keeps %j as it is", (text) => {
    expect(cellsOf(csvLine([text, "end"]))).toEqual([text, "end"]);
  });

  it("writes our ids as they are, and those that look like numbers or days as text", () => {
    expect(["usr_01kz", "app_shop", "shop", "0042", "1e5", "may-5"].map(csvId)).toEqual([
      "usr_01kz",
      "app_shop",
      "shop",
      "'0042",
      "'1e5",
      "'may-5",
    ]);
  });

  it("writes times as spreadsheets read them", () => {
    expect([csvTime("2026-11-29T12:34:56.789Z"), csvTime(null)]).toEqual(["2026-11-29 12:34:56", ""]);
  });
});
