import type { Config } from "../../src/config/config.ts";
import type { Surroundings } from "../../src/process/core.ts";
import { serviceOfTests, type ServiceOfTests } from "./service.ts";

/** One service on SQLite for the tests beside it, for what has nothing to do with the database. */
export function useService(
  overrides: Partial<Config> = {},
  surroundings: Omit<Surroundings, "clock"> = {},
): ServiceOfTests {
  const [service] = serviceOfTests("sqlite", overrides, surroundings);
  return service;
}
