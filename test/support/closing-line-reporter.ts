import { writeSync } from "node:fs";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { linesAbout, type LeftOut } from "./left-out.ts";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Ends the output of a run with one plain line that scripts can read: `N passed, N failed`, and `,
 * N skipped` when there are some. Before it stand why these were left out, and the tests that
 * failed once and passed when CI repeated them: each is a defect to repair.
 */
export default class ClosingLineReporter implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #flaky: string[] = [];
  #leftOut: string[] = [];
  #isPartial = false;

  onInit(vitest: Vitest): void {
    this.#isPartial = vitest.config.testNamePattern !== undefined;
    // Written while the process exits, so that nothing else comes after it; also when the run ended
    // before it began.
    process.once("exit", (exitCode) => {
      for (const title of this.#flaky) writeSync(1, `passed only when repeated: ${title}\n`);
      for (const line of this.#leftOut) writeSync(1, `${line}\n`);
      writeSync(1, `${closingLine(this.#counts, exitCode)}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#counts = count(modules, unhandledErrors);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const reasons = reasonsOf(tests);
    // `-t` leaves the others out.
    if (this.#isPartial) reasons.delete(undefined);
    const { lines, isRefused } = linesAbout(reasons, { isCi: Boolean(process.env["CI"]) });
    this.#leftOut = lines;
    if (isRefused) process.exitCode = 1;
    this.#flaky = tests
      .filter((test) => test.diagnostic()?.flaky === true)
      .map((test) => `${test.module.relativeModuleId} > ${test.fullName}`);
  }
}

/**
 * A file or suite that could not run, and an error outside of every test, count as one failure
 * each.
 */
function count(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") counts.passed += 1;
      else if (state === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
  }
  return counts;
}

/** Said by the test itself, or at the end of a title: `… (skipped: REASON)`. */
function reasonsOf(tests: readonly TestCase[]): LeftOut {
  const reasons: LeftOut = new Map();
  for (const test of tests) {
    const result = test.result();
    if (result.state !== "skipped") continue;
    const said = /\(skipped: (.+?)\)(?: >|$)/u.exec(test.fullName)?.[1];
    const reason = result.note ?? said;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return reasons;
}

/** A run that failed never reads as if nothing had. */
export function closingLine({ passed, failed, skipped }: Counts, exitCode: number): string {
  const shown = exitCode === 0 ? failed : Math.max(failed, 1);
  return `${passed} passed, ${shown} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
