import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/receiver.ts";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder, finish } from "./command.ts";
import { answer } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";

const limits = { AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000" };
const { serve, addressOf } = servingProcesses();

/** `serve`, an application of it, and calls that write. */
async function serving(cwd: string, env: Record<string, string> = {}) {
  const created = await answer(["app", "create", "--name", "Shop", "--redirect-uri", "https://a.example/cb"], {
    cwd,
    env,
  });
  const { application, apiKey } = created as { application: { id: string }; apiKey: string };
  const child = serve(["--port", "0"], cwd, { ...limits, ...env });
  const finished = finish(child);
  const url = await addressOf(child);
  return {
    url,
    async initiate(state = ""): Promise<number> {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        "x-service-app-id": application.id,
        "content-type": "application/json",
      };
      const body = JSON.stringify({ redirectUri: "https://a.example/cb", state });
      const response = await fetch(`${url}/auth/initiate`, { method: "POST", headers, body });
      const { error } = (await response.json()) as { error?: { code: string } };
      if (response.status !== 200) expect(error?.code).toBe("SERVER_ERROR");
      return response.status;
    },
    get: async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status,
    async stop(): Promise<number | null> {
      child.kill("SIGTERM");
      return (await finished).code;
    },
  };
}

test("a start that fails when the service already listens ends the process", async () => {
  const port = String(await freePort());
  const child = serve(["--port", "0"], emptyFolder(), {
    AUTHSVC_METRICS__PORT: port,
    AUTHSVC_CONSOLE__LISTEN: `127.0.0.1:${port}`,
    AUTHSVC_CONSOLE__BASE_URL: `http://localhost:${port}`,
  });
  const { code, stderr } = await finish(child);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`port ${port}`) as string });
});

describe("serve whose database fails it later", () => {
  test("E6: locked by another process for a second, no call fails", async () => {
    const cwd = emptyFolder();
    const { initiate } = await serving(cwd);
    const other = lock(cwd);
    const calls = Promise.all(Array.from({ length: 40 }, () => initiate()));
    setTimeout(() => other.release(), 1000);
    expect(new Set(await calls)).toEqual(new Set([200]));
  });

  test("E6: locked for longer, every write fails after 10 s and not later, reads continue, and all is well afterwards", async () => {
    const cwd = emptyFolder();
    const { initiate, get, stop } = await serving(cwd);
    const other = lock(cwd);
    const began = performance.now();
    // More than fit into one commit.
    const calls = Promise.all(Array.from({ length: 300 }, () => initiate()));
    expect(await get("/readyz")).toBe(200);
    expect(await get("/.well-known/jwks.json")).toBe(200);
    expect(new Set(await calls)).toEqual(new Set([500]));
    const took = performance.now() - began;
    expect(took).toBeGreaterThan(9_000);
    expect(took).toBeLessThan(18_000);
    other.release();
    expect(await initiate()).toBe(200);
    expect(await stop()).toBe(0);
  });

  test("E11: PostgreSQL goes away and comes back: SERVER_ERROR meanwhile, no restart, the same data", async () => {
    const postgres = await startPostgres();
    const env = { AUTHSVC_DATABASE__URL: postgres.url("postgres"), AUTHSVC_MASTER_KEY: testMasterKey };
    const { initiate, get, stop } = await serving(emptyFolder(), env);
    expect(await initiate()).toBe(200);
    for (let outage = 0; outage < 3; outage += 1) {
      const busy = Promise.all(Array.from({ length: 20 }, () => initiate()));
      await postgres.takeDown();
      for (const status of await busy) expect([200, 500]).toContain(status);
      expect(await initiate()).toBe(500);
      expect(await get("/readyz")).toBe(503);
      expect(await get("/healthz")).toBe(200);
      await postgres.bringUp();
      await until(async () => (await get("/readyz")) === 200);
      expect(new Set(await Promise.all(Array.from({ length: 20 }, () => initiate())))).toEqual(new Set([200]));
    }
    expect(await stop()).toBe(0);
    await postgres.stop();
  });
});

function lock(cwd: string): { release(): void } {
  const database = new Database(join(cwd, "data/authsvc.db"));
  database.exec("BEGIN IMMEDIATE");
  return {
    release() {
      database.exec("ROLLBACK");
      database.close();
    },
  };
}
