import { beforeAll, describe } from "vitest";
import { isLongRun } from "../support/long-run.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { isBuilt } from "../support/program.ts";
import { testMasterKey, type Dialect } from "../support/service.ts";
import { emptyFolder } from "./command.ts";

/**
 * Where commands find their data: a folder, and on PostgreSQL the database that the environment
 * names.
 */
export type Place = { cwd: string; env: Record<string, string> };

/** SQLite in `npm test`; both in `npm run test:long`, which runs commands on the executable. */
export const dialects: Dialect[] = isBuilt || isLongRun ? ["sqlite", "postgres"] : ["sqlite"];

/** Runs the same tests of commands on `dialects`, each on a new database. */
export function describeEachPlace(title: string, tests: (place: Place, dialect: Dialect) => void): void {
  describe.each(dialects)(`${title} (%s)`, (dialect) => {
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
