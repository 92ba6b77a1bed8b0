/** `npm run simulate` (docs/simulation.md). */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bugNames, control, plant } from "./bugs.ts";
import { addReach, neverReached } from "./reach.ts";
import type { Options } from "./simulation.ts";

const shortensFor = 55_000;
/** Before `time.ts` takes its place. */
const realTime = performance.now.bind(performance);
const print = (line = ""): void => void process.stdout.write(`${line}\n`);

const help = `Usage: npm run simulate -- [OPTIONS]

Runs the service in a simulated world, which a seed decides.

  --seed N          the first seed; default 1
  --seeds N         how many seeds; default 1
  --hours N         virtual hours of each; default 0.7
  --postgres [URL]  two nodes on this server of PostgreSQL, or on one of its own
  --bug NAME        plants a fault in the product: list names them
  --without A,B     leaves out actors or kinds of faults: list names them
  --trace FILE      writes what happened with the last seed
  --twice           runs the last seed again in another process, and compares
  --limit SECONDS   ends after so much processor time; a failure is not shortened
  --help

Exit status: 0 nothing found, 1 a violation or a difference, 2 bad options.`;

class BadOption extends Error {}

function options() {
  // `--postgres` alone stands for a server that ends with this process.
  const args = process.argv.slice(2).map((given, place, all) => {
    const isAlone = given === "--postgres" && (all[place + 1] ?? "--").startsWith("--");
    return isAlone ? "--postgres=" : given;
  });
  const given = parseArgs({
    args,
    options: {
      seed: { type: "string", default: "1" },
      seeds: { type: "string", default: "1" },
      hours: { type: "string", default: "0.7" },
      postgres: { type: "string" },
      bug: { type: "string" },
      without: { type: "string", default: "" },
      trace: { type: "string" },
      twice: { type: "boolean", default: false },
      limit: { type: "string", default: "Infinity" },
      help: { type: "boolean", default: false },
    },
  }).values;
  const number = (name: "seed" | "seeds" | "hours" | "limit", isWhole: boolean): number => {
    const value = Number(given[name]);
    const isGood = given[name] !== "" && value > 0 && (!isWhole || Number.isSafeInteger(value));
    if (!isGood) throw new BadOption(`--${name}: "${given[name]}" is not a ${isWhole ? "whole " : ""}number above 0`);
    return value;
  };
  if (given.bug !== undefined && ![...bugNames, control].includes(given.bug))
    refuse("bug", given.bug, [...bugNames, control]);
  const [seed, seeds] = [number("seed", true), number("seeds", true)];
  const without = given.without.split(",").filter((name) => name !== "");
  return { ...given, seed, seeds, hours: number("hours", false), limit: number("limit", false), without };
}

function refuse(option: string, given: string, names: readonly string[]): never {
  const listed = names.map((name) => `\n  ${name}`).join("");
  throw new BadOption(`--${option}: ${given === "list" ? "" : `no "${given}"; `}one of${listed}`);
}

async function run(): Promise<number> {
  const given = options();
  if (given.help) return (print(help), 0);
  const { bug, without, hours } = given;
  const planted = bug === undefined ? undefined : plant(bug);
  // Before virtual time begins.
  const { clusterOf } = await import("./cluster.ts");
  const cluster = await clusterOf(given.postgres);
  const same = { hours, without, ...(cluster && { cluster }) };
  const [{ actors, simulate }, { faultKinds }] = await Promise.all([import("./simulation.ts"), import("./faults.ts")]);
  const names = [...actors, ...faultKinds];
  const unknown = without.find((name) => !names.includes(name));
  if (unknown !== undefined) refuse("without", unknown, names);

  const processorTime = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const on = given.postgres === undefined ? "" : ` --postgres ${given.postgres}`.trimEnd();
  const planting = bug === undefined ? "" : ` --bug ${bug}`;
  const replay = (seed: number, of: { hours: number; without?: readonly string[] }): string => {
    const left = of.without?.length ? ` --without ${of.without.join(",")}` : "";
    return `npm run simulate --${on} --seed ${seed} --hours ${of.hours}${left}${planting}`;
  };
  const reach = new Map<string, number>();
  const last = given.seed + given.seeds - 1;
  let { seed } = given;
  let [asked, isLate] = [0, false];
  print(rowOf(["seed", "calls", "steps", "crashes", "stops", "seconds", "trace"]));
  for (; ; seed += 1) {
    const before = processorTime();
    // Asking for the processor time costs as much as a step.
    const givesUp = (): boolean => (isLate ||= (asked += 1) % 200 === 0 && processorTime() > given.limit);
    const result = await simulate(String(seed), { ...same, givesUp });
    const { violation, lines } = result;
    const numbers = [result.calls, result.steps, result.crashes, result.stops].map((each) => each.toLocaleString("en"));
    print(rowOf([String(seed), ...numbers, (processorTime() - before).toFixed(1), result.trace.slice(0, 16)]));
    addReach(reach, result.reach);
    if (given.trace !== undefined) writeFileSync(given.trace, `${lines.join("\n")}\n`);
    if (violation) {
      const after = `after ${processorTime().toFixed(1)} s of processor time`;
      print(`\n${violation.oracle} failed ${after}${planted ? `; ${planted.oracle} was expected` : ""}`);
      print(`${violation.message}\nreplay: ${replay(seed, given)}`);
      if (given.limit !== Infinity) return 1;
      const { shorten } = await import("./shorten.ts");
      const endsAt = realTime() + shortensFor;
      const shorter = await shorten(String(seed), result, same, () => realTime() > endsAt);
      print(`shorter: ${replay(seed, shorter.options)}\n`);
      print(shorter.result.lines.slice(-30).join("\n"));
      return 1;
    }
    if (givesUp() || seed === last) break;
  }
  print();
  for (const [situation, count] of [...reach].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    print(`${String(count).padStart(9)}  ${situation}`);
  for (const situation of neverReached(reach, cluster !== undefined)) print(`    never  ${situation}`);
  return given.twice ? await compare(seed, given.seed === seed, given.postgres, same) : 0;
}

function rowOf([seed = "", calls = "", steps = "", crashes = "", stops = "", seconds = "", trace = ""]: string[]) {
  const right = [calls.padStart(9), steps.padStart(11), crashes.padStart(9), stops.padStart(7), seconds.padStart(9)];
  return `${seed.padEnd(10)}${right.join("")}  ${trace}`;
}

/** Whether a seed does the same in another process as after other seeds in this one. */
async function compare(last: number, isOnly: boolean, postgres: string | undefined, same: Options): Promise<number> {
  const { simulate } = await import("./simulation.ts");
  const { hours, without = [] } = same;
  if (isOnly) await simulate(String(last + 1), same);
  const { lines, trace } = await simulate(String(last), same);
  const folder = mkdtempSync(join(tmpdir(), "authsvc-simulation-"));
  try {
    const file = join(folder, "trace");
    const args = ["--seed", String(last), "--hours", String(hours), "--without", without.join(","), "--trace", file];
    if (postgres !== undefined) args.push(`--postgres=${postgres}`);
    const { status, stderr } = spawnSync(process.execPath, [import.meta.filename, ...args], { encoding: "utf8" });
    const others = status === 0 ? readFileSync(file, "utf8").trimEnd().split("\n") : [`it failed: ${stderr}`];
    const at = lines.findIndex((line, position) => line !== others[position]);
    if (at === -1 && lines.length === others.length) {
      print(`\nseed ${last}: the same in another process (${trace.slice(0, 16)})`);
      return 0;
    }
    const place = at === -1 ? lines.length : at;
    print(`\nseed ${last} differs in another process, at line ${place + 1} of its trace:`);
    print(`  ${lines[place] ?? "(the end)"}\n  ${others[place] ?? "(the end)"}`);
    return 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  const isBad = error instanceof BadOption || String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
  if (!isBad) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
