import { beforeAll, describe, expect } from "vitest";
import { isLongRun } from "../support/long-run.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey, type Dialect } from "../support/service.ts";
import { emptyFolder } from "./command.ts";

/**
 * Where commands find their data: a folder, and on PostgreSQL the database that the environment
 * names.
 */
export type Place = { cwd: string; env: Record<string, string> };

/**
 * SQLite in `npm test` and on the executable; PostgreSQL in the other run of `npm run test:long`,
 * inside of a test's process. The files that only the executable runs have both.
 */
export function dialectsOfCommands(): Dialect[] {
  const { testPath = "" } = expect.getState();
  if (testPath.endsWith(".long.test.ts")) return ["sqlite", "postgres"];
  return isLongRun ? ["postgres"] : ["sqlite"];
}

/** Runs the same tests of commands on each of them, on a new database. */
export function describeEachPlace(title: string, tests: (place: Place, dialect: Dialect) => void): void {
  describe.each(dialectsOfCommands())(`${title} (%s)`, (dialect) => {
    const place: Place = { cwd: emptyFolder(), env: {} };
    if (dialect === "postgres") {
      beforeAll(async () => {
        place.env["AUTHSVC_DATABASE__URL"] = await createTestDatabase();
        place.env["AUTHSVC_MASTER_KEY"] = testMasterKey;
      });
    }
    tests(place, dialect);
  });
}
