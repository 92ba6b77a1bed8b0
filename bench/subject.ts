import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApp, type App } from "../src/process/app.ts";
import * as applications from "../src/applications/service.ts";
import type { Config } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load.ts";
import type { ClientApplication } from "../src/upkeep/benchmark/browser.ts";
import { callHeaders } from "../src/upkeep/benchmark/connection.ts";
import { makeLogins, type TestLogin } from "../src/upkeep/benchmark/logins.ts";
import type { Traffic } from "../src/upkeep/benchmark/traffic.ts";
import { freePort } from "../test/support/free-port.ts";
import { start, type Running } from "./process.ts";
import { inFolder, type Program } from "./program.ts";

/** A measured service, its application, and users who have signed in. */
export type Subject = {
  server: Running;
  app: ClientApplication;
  /** What the application's server sends. */
  headers: Record<string, string>;
  /** Without a password. */
  logins: TestLogin[];
  /** Users who can sign in by `password`. */
  people: { email: string; password: string }[];
  config: Config;
  /** Its environment, for commands on the same service. */
  environment: Record<string, string>;
};

export type Wanted = {
  program: Program;
  /** The database, and other differences from the default environment. */
  environment?: Record<string, string> | undefined;
  logins?: number;
  people?: number;
  /** Other preparations before it starts. */
  prepare?: (app: App, config: Config) => Promise<void>;
};

const actor = { kind: "cli", name: "bench" } as const;
export const appId = "app_bench";
export const password = "correct horse battery staple";

/** The contract's limits would end every measurement after a hundred calls. */
export const unlimited = {
  AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
  AUTHSVC_RATE_LIMITS__WEBHOOKS: "1000000",
  AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "1000000",
};

/**
 * Starts the service as in production, in its own process and data folder, and stops it after
 * `work`. The data was written before by the same services in this process, so it is real but costs
 * no hash per login.
 */
export async function withSubject<T>(wanted: Wanted, work: (subject: Subject) => Promise<T>): Promise<T> {
  return await inFolder(async (folder) => {
    const port = await freePort();
    const data = join(folder, "data");
    const baseUrl = `http://localhost:${port}`;
    // Where the executable unpacks its native modules.
    const environment = { HOME: folder, AUTHSVC_BASE_URL: baseUrl, ...unlimited, ...wanted.environment };
    const { config } = loadConfig({ flags: { data }, env: environment, cwd: folder });
    const prepared = await prepare(config, baseUrl, wanted);
    const { command, before } = wanted.program;
    const program = [...before, "serve", "--port", String(port), "--data", data];
    const log = join(folder, "log");
    const server = await start(program, environment, { command, log });
    try {
      const headers = callHeaders(appId, prepared.app.apiKey);
      return await work({ server, config, environment, headers, ...prepared });
    } catch (error) {
      const said = readFileSync(log, "utf8").trim().split("\n").slice(-3).join("\n");
      throw said === "" ? error : new Error(`${(error as Error).message}\nThe service said: ${said}`, { cause: error });
    } finally {
      await server.stop();
    }
  });
}

async function prepare(config: Config, baseUrl: string, { logins = 0, people = 0, prepare: more }: Wanted) {
  const app = await openApp(config, { baseUrl });
  try {
    const redirectUri = "https://bench.example/callback";
    const { apiKey } = await applications.createWithKey(
      app.ctx,
      { id: appId, name: "bench", redirectUris: [redirectUri] },
      {},
      actor,
    );
    const made = await makeLogins(app, appId, logins);
    const persons = await makeLogins(app, appId, people, { password, from: logins });
    await more?.(app, config);
    return {
      app: { id: appId, apiKey, redirectUri },
      logins: made,
      people: persons.map(({ email }) => ({ email, password })),
    };
  } finally {
    await app.close();
  }
}

/** The headers of a call with a user's token. */
export function bearer({ accessToken }: Pick<TestLogin, "accessToken">): Record<string, string> {
  return callHeaders(appId, accessToken);
}

export function validatesOf({ server }: Subject, logins: TestLogin[]): Traffic {
  return { kind: "get", url: `${server.url}/auth/validate`, headers: logins.map(bearer) };
}

export function refreshesOf({ server, headers }: Subject, logins: TestLogin[]): Traffic {
  const tokens = logins.map(({ refreshToken }) => refreshToken);
  return { kind: "refresh", url: `${server.url}/auth/refresh`, headers, tokens };
}
