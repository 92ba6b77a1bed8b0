import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { factNames, profileFacts } from "../../src/lib/profile-facts.ts";

const changers = { profile: "users", server: "your server", operator: "operators" };
const places = { callback: "the user's own answers", validate: "validate", download: "the downloaded data" };

test("the table of profile fields has each field, who changes it, and where else it is", () => {
  const rows = factNames.map((name) => {
    const row = profileFacts[name];
    const on = (words: Record<string, string>) =>
      Object.entries(words).flatMap(([place, said]) => (row.surfaces.some((each) => each === place) ? [said] : []));
    const isInput = "input" in row;
    const cells = [
      `\`${name}\``,
      isInput ? row.input.lineRule : row.about,
      isInput ? on(changers).join(", ") : "",
      on({ ...places, lines: "import and export" }).join(", "),
      "claim" in row ? `\`${row.claim.name}\`` : "",
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  const page = readFileSync(path.join(import.meta.dirname, "../../docs/users-api.md"), "utf8");
  const [, table = ""] = /## Profile fields\n\n(?:\|.*\n){2}((?:\|.*\n)*)/u.exec(page) ?? [];
  expect(table).toBe(rows.join(""));
});
