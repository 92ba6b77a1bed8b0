// `npm run security-rules`: writes test/security/rules.md from the checklist, the cases and titles
// of tests. `--check`: only an exit code, for an outdated list or an id without test or reason.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cases } from "../test/security/cases.ts";
import { chapters, checklist } from "../test/security/checklist.ts";
import { notApplicable } from "../test/security/not-applicable.ts";
import { complaintsAbout, listOfRules } from "./security-rules/list.ts";
import { readTitles } from "./security-rules/titles.ts";

const root = path.resolve(import.meta.dirname, "..");
const list = path.join(root, "test/security/rules.md");

const known = new Set([...checklist, ...cases].map(({ id }) => id));
const read = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/unit/security-rules.test.ts"] })
  .toSorted()
  .map((file) => readTitles(file, readFileSync(path.join(root, file), "utf8"), (id) => known.has(id)));

const content = { chapters, checklist, cases, notApplicable, tests: read.flatMap(({ tests }) => tests) };
const complaints = [...read.flatMap((file) => file.complaints), ...complaintsAbout(content)];
const written = listOfRules(content);

if (!process.argv.includes("--check")) writeFileSync(list, written);
else complaints.push(...differences(readIfThere(list), written));

for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;

/** Names the ids of the lines that differ. */
function differences(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const changed = [...fresh.filter((line) => !old.includes(line)), ...old.filter((line) => !fresh.includes(line))];
  const ids = new Set(changed.map((line) => /^- \*\*([\w-]+)/u.exec(line)?.[1] ?? "its text"));
  return [`test/security/rules.md is out of date (${[...ids].join(", ")}). Write it with: npm run security-rules`];
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
