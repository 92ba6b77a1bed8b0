import { hash } from "node:crypto";
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

/** Prints the figures of an experiment (docs/reliability.md), and fails if anything was lost. */
export function reportExperiment(name: string, { rounds, checks, lost }: Outcome): void {
  printFigures(`experiment | ${name} | ${rounds} rounds | ${checks} checks | ${lost.length} lost`);
  expect(checks, "an experiment that checked nothing shows nothing").toBeGreaterThan(0);
  expect(lost).toEqual([]);
}

/**
 * Moments of a run, in milliseconds: others each time, and the same ones again with the seed that
 * is printed.
 */
export function randomMoments(): (below: number) => number {
  const seed = process.env["AUTHSVC_FAULTS_SEED"] ?? String(Date.now());
  printFigures(`moments | AUTHSVC_FAULTS_SEED=${seed}`);
  let drawn = 0;
  return (below) => below * (hash("sha256", `${seed} ${(drawn += 1)}`, "buffer").readUInt32BE() / 2 ** 32);
}

export function printFigures(line: string): void {
  process.stdout.write(`${line}\n`);
}
