import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import type { LoadThread } from "./load.ts";
import type { Program } from "./program.ts";
import type { Report } from "./report.ts";

/** What every part of the benchmark gets. */
export type Context = {
  program: Program;
  report: Report;
  load: LoadThread["load"];
  /** The duration of one load. */
  seconds: number;
  /** How often a figure and its baseline are measured in turns; the median counts. */
  rounds: number;
  /** Thousands of users in the large database, with three logins each. */
  thousands: number;
  /** HTTP threads that are compared with one. */
  threads: number;
};

/** Measures in turns, so that other work of the machine affects all alike. Returns each median. */
export async function inTurns<Name extends string>(
  rounds: number,
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  const found = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) found.get(name)?.push(await measures[name]());
  }
  return Object.fromEntries(names.map((name) => [name, percentile(found.get(name) ?? [], 0.5)])) as Record<
    Name,
    number
  >;
}
