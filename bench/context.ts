import { percentile } from "../src/benchmark/percentiles.ts";
import type { Program } from "./program.ts";
import type { Report } from "./report.ts";

/** What every part of the benchmark is given. */
export type Context = {
  program: Program;
  report: Report;
  /** How long one load lasts. */
  seconds: number;
  /** How often a figure and its yardstick are measured, in turns; the median counts. */
  rounds: number;
  /** Users and logins, in thousands and three times as many thousands, of the large database. */
  thousands: number;
};

/** Measures in turns, so that whatever else the machine does meets all of them; the median of each. */
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
