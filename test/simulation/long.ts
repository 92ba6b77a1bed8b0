/**
 * `npm run simulate:long` (docs/simulation.md): new seeds, reach, all planted bugs, longer runs and
 * the control. Each part is a process of its own, two at a time.
 */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { bugNames, bugs, control, lockBugNames } from "./bugs.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(1, 1e9)) },
    seeds: { type: "string", default: "200" },
    hours: { type: "string", default: "2" },
    limit: { type: "string", default: "300" },
    bugs: { type: "string", default: "all" },
    postgres: { type: "boolean", default: false },
  },
});
/** Of processor time, for each bug. */
const limit = Number(values.limit);
const first = Number(values.seed);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const failures: string[] = [];

async function run(...args: string[]): Promise<{ output: string; hasFailed: boolean }> {
  return await new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [`${import.meta.dirname}/run.ts`, ...args], options, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, hasFailed: error !== null }),
    );
  });
}

/** Two at a time. */
async function all<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([next(), next()]);
}

async function newSeeds(): Promise<void> {
  print(`${values.seeds} new seeds, from ${first} on`);
  const { output, hasFailed } = await run("--seed", String(first), "--seeds", values.seeds);
  const summary = output.split("\n").filter((line) => !/^\d+ {2}/u.test(line));
  print(summary.join("\n"));
  if (hasFailed) failures.push("a violation in the new seeds");
  const never = summary.filter((line) => line.includes("    never  "));
  if (never.length > 0) failures.push(`${never.length} situations were never reached`);
}

async function longerRun(database: "SQLite" | "PostgreSQL"): Promise<void> {
  const args = database === "PostgreSQL" ? ["--postgres"] : [];
  const { output, hasFailed } = await run("--seed", String(first), "--hours", values.hours, ...args);
  print(`${values.hours} hours on ${database}: ${hasFailed ? `failed\n${output}` : "nothing found"}`);
  if (hasFailed) failures.push(`${values.hours} hours on ${database}`);
}

/** Which oracle saw it within the limit. */
async function plantBug(name: string, seed = first): Promise<string> {
  const args = ["--seed", String(seed), "--seeds", "100000", "--limit", String(limit), "--bug", name];
  if (lockBugNames.includes(name)) args.push("--postgres");
  const { without } = bugs.find((bug) => bug.name === name) ?? {};
  if (without) args.push("--without", without.join(","));
  const { output } = await run(...args);
  const found = /^(\w+) failed after ([\d.]+) s of processor time; (\w+) was expected$/mu.exec(output);
  const [, seen = "not found", seconds = `> ${limit}`, expected = ""] = found ?? [];
  print(`${name.padEnd(44)} ${seconds.padStart(7)} s  ${seen.padEnd(9)} ${seen === expected ? "" : expected}`);
  return seen;
}

/** A lost fact may first make an actor fail, so this takes several seeds. */
async function controlFails(): Promise<boolean> {
  for (let seed = first; seed < first + 20; seed += 1) if ((await plantBug(control, seed)) === "O4") return true;
  return false;
}

await newSeeds();
await longerRun("SQLite");
if (values.postgres) await longerRun("PostgreSQL");
print(`\n${"planted".padEnd(44)} ${"found after".padStart(9)}  by        instead of`);
const missed: string[] = [];
const planted = bugNames.filter((name) =>
  values.bugs === "all" ? values.postgres || !lockBugNames.includes(name) : values.bugs.split(",").includes(name),
);
await all(planted, async (name) => {
  if (["not found", "none"].includes(await plantBug(name))) missed.push(name);
});
print(`${planted.length - missed.length} of ${planted.length} bugs found`);
if (missed.length > planted.length / 25) failures.push(`bugs not found: ${missed.join(", ")}`);
print("\nthe control: commits that lie");
if (!(await controlFails())) failures.push("lost facts of the control were not seen");
print(failures.length === 0 ? "\nsimulate:long: everything is fine" : `\nsimulate:long: ${failures.join("; ")}`);
process.exitCode = failures.length === 0 ? 0 : 1;
