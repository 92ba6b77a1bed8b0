import { expect } from "vitest";

/**
 * What an experiment counted. `lost` names each thing that was acknowledged and is gone, or was
 * revoked and lives.
 */
export interface Outcome {
  readonly rounds: number;
  readonly checks: number;
  readonly lost: readonly string[];
}

/**
 * Prints the line of an experiment for the table in `docs/reliability.md`, and fails if anything
 * was lost.
 */
export function reportExperiment(name: string, { rounds, checks, lost }: Outcome): void {
  printFigures(`experiment | ${name} | ${rounds} rounds | ${checks} checks | ${lost.length} lost`);
  expect(checks, "an experiment that checked nothing shows nothing").toBeGreaterThan(0);
  expect(lost).toEqual([]);
}

export function printFigures(line: string): void {
  process.stdout.write(`${line}\n`);
}
