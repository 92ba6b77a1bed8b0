import { describe } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import type { Dialect } from "../support/service.ts";
import { emptyFolder } from "./command.ts";

/** Where commands find their data: a folder, and on PostgreSQL the database that its environment names. */
export type Place = { cwd: string; env: Record<string, string> };

export async function newPlace(dialect: Dialect): Promise<Place> {
  const cwd = emptyFolder();
  if (dialect === "sqlite") return { cwd, env: {} };
  const masterKey = Buffer.alloc(32, 7).toString("base64url");
  return { cwd, env: { AUTHSVC_DATABASE__URL: await createTestDatabase(), AUTHSVC_MASTER_KEY: masterKey } };
}

/** Runs the same tests of commands on both databases. */
export function describeEachPlace(title: string, tests: (dialect: Dialect) => void): void {
  describe.each<Dialect>(["sqlite", "postgres"])(`${title} (%s)`, tests);
}
