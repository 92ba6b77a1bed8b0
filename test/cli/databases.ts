import { beforeAll, describe } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey, type Dialect } from "../support/service.ts";
import { emptyFolder } from "./command.ts";

/**
 * Where commands find their data: a folder, and on PostgreSQL the database that the environment
 * names.
 */
export type Place = { cwd: string; env: Record<string, string> };

/** Runs the same tests of commands on both databases, each on a new one. */
export function describeEachPlace(title: string, tests: (place: Place, dialect: Dialect) => void): void {
  describe.each<Dialect>(["sqlite", "postgres"])(`${title} (%s)`, (dialect) => {
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
