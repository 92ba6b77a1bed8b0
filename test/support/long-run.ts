import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** Whether `npm run test:long` runs the file again, for what `npm test` leaves out of it. */
export const isLongRun = process.env["AUTHSVC_TEST_LONG_RUN"] !== undefined;

/**
 * Whether `npm test` ran what the file has for both databases or for SQLite: `npm run test:long`
 * runs such a file again for the other database alone.
 */
export function ranBefore(): boolean {
  const { testPath: file = "" } = expect.getState();
  return (
    isLongRun && !file.endsWith(".long.test.ts") && !/\b(?:sampled\(|isLongRun\b)/u.test(readFileSync(file, "utf8"))
  );
}

/** Every nth row of a large table in `npm test`; all of them in `npm run test:long`. */
export function sampled<T>(rows: readonly T[], nth: number): T[] {
  return rows.filter((_row, at) => isLongRun || at % nth === 0);
}
