import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../docs/decisions");
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

test("the list of decisions has each by its number and title, and no other", () => {
  const records = readdirSync(folder).filter((file) => /^\d{4}-/u.test(file));
  const expected = records.toSorted().map((file) => {
    const title = new RegExp(`^# ${Number(file.slice(0, 4))}\\. (.+)\n`, "u").exec(read(file))?.[1];
    return `- [${file.slice(0, 4)}](${file}) ${title}`;
  });
  const listed = read("README.md")
    .split("\n")
    .filter((line) => line.startsWith("- ["));
  expect(listed).toEqual(expected);
});
