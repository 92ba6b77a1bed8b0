import { afterAll, beforeAll } from "vitest";
import type { Config } from "../../src/config/config.ts";
import type { Surroundings } from "../../src/core.ts";
import { startTestService, type TestService } from "./service.ts";

/** One service on SQLite for the tests beside it, for what has nothing to do with the database. */
export function useService(
  overrides: Partial<Config> = {},
  surroundings: Omit<Surroundings, "clock"> = {},
): () => TestService {
  let running: Awaited<ReturnType<typeof startTestService>> | undefined;
  beforeAll(async () => {
    running = await startTestService("sqlite", overrides, surroundings);
  });
  afterAll(async () => await running?.stop());
  return () => {
    if (!running) throw new Error("the service has not started");
    return running.service;
  };
}
