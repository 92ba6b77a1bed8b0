import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setEnvironmentData } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, onTestFinished } from "vitest";
import type { ApplicationChange } from "../../src/applications/settings.ts";
import type { NewApplication } from "../../src/applications/new-application.ts";
import * as applications from "../../src/applications/service.ts";
import type { Config } from "../../src/config/config.ts";
import type { Surroundings } from "../../src/process/core.ts";
import { createStrength } from "../../src/credentials/passwords/strength.ts";
import { startServer, type RunningServer } from "../../src/process/server.ts";
import { isLongRun, ranBefore } from "./long-run.ts";
import { copyMigrated, createMigratedDatabase } from "./migrated.ts";

export type Dialect = "sqlite" | "postgres";

/** A running service with a clock that tests set. */
export type TestService = {
  url: string;
  server: RunningServer;
  dialect: Dialect;
  dataDir: string;
  /** With which it was started, for a second process on the same database. */
  config: Config;
  clock: { now: number; advance(milliseconds: number): void };
  /** An application and the headers that its server sends. */
  createApp(input?: Partial<NewApplication>): Promise<TestApp>;
  /** Everything that the database's files hold, as text. */
  databaseText(): Promise<string>;
};

export type TestApp = { id: string; apiKey: string; redirectUri: string; headers: Record<string, string> };

const unlimited = 1_000_000_000;

/** HTTP threads of each service; with several, SQLite alone. */
const threads = Number(process.env["AUTHSVC_TEST_THREADS"] ?? 1);

/**
 * The one of every test on PostgreSQL: as good as random, and the same for every process of a test.
 */
export const testMasterKey = hash("sha256", "the master key of tests", "base64url");

export const testConfig = {
  dev: false,
  baseUrl: undefined,
  listen: { host: "127.0.0.1", port: 0, tls: undefined },
  trustedProxies: [],
  masterKey: undefined,
  mail: undefined,
  mailsPerHour: 2000,
  disposableDomainsFile: undefined,
  // Cheap hashes: what is tested is when a password is hashed, not how dearly.
  passwords: {
    memoryKiB: 8,
    iterations: 1,
    parallelism: 1,
    concurrency: 2,
    queueSize: 1000,
    minGuessesLog10: 10,
    attemptsPerMinute: unlimited,
    puzzleAfter: 0,
  },
  rateLimits: {
    authentication: unlimited,
    userManagement: unlimited,
    applicationManagement: unlimited,
    webhooks: unlimited,
  },
  webhooks: { allowPrivateNetworks: false, retentionDays: 30 },
  clientDocuments: { allowPrivateNetworks: false },
  dns: { servers: [] },
  organizations: { privateIssuers: [] },
  audit: { retentionDays: 90, retention: [], syslog: undefined },
  metrics: undefined,
  log: { level: "silent", format: "json", requests: "errors" },
} satisfies Partial<Config>;

/** One thread for all services of a worker: its dictionaries take longer to load than a service. */
const strengthOf = createStrength();

/** Starts a service on a new database. `stop` leaves the data; `restart` opens it again. */
export async function startTestService(
  dialect: Dialect,
  overrides: Partial<Config> = {},
  surroundings: Omit<Surroundings, "clock"> = {},
  // A real moment, so that tokens look like today's to other libraries.
  now = Date.now(),
) {
  const dataDir = mkdtempSync(join(tmpdir(), "authsvc-test-"));
  const url = dialect === "postgres" ? await createMigratedDatabase() : undefined;
  if (dialect === "sqlite") await copyMigrated(dataDir);
  const masterKey = dialect === "postgres" ? testMasterKey : undefined;
  // With PostgreSQL, one thread serves.
  const listen = { ...testConfig.listen, threads: dialect === "sqlite" ? threads : 1 };
  const config: Config = { ...testConfig, listen, masterKey, database: { url, poolSize: 5 }, dataDir, ...overrides };
  // Shared with the HTTP threads, if there are any (threads-clock.mjs).
  const shared = new BigInt64Array(new SharedArrayBuffer(8));
  const clock = {
    get now() {
      return Number(Atomics.load(shared, 0));
    },
    set now(milliseconds: number) {
      Atomics.store(shared, 0, BigInt(Math.round(milliseconds)));
    },
    advance(milliseconds: number) {
      clock.now += milliseconds;
    },
  };
  clock.now = now;
  const start = async (): Promise<RunningServer> => {
    setEnvironmentData("authsvc-test-clock", shared);
    return await startServer(config, { strengthOf, ...surroundings, clock: () => clock.now });
  };
  let server = await start();
  let apps = 0;

  const service: TestService = {
    get url() {
      return server.url;
    },
    get server() {
      return server;
    },
    dialect,
    dataDir,
    config,
    clock,
    async createApp(input = {}) {
      apps += 1;
      const redirectUri = input.redirectUris?.[0] ?? "https://app.example/callback";
      const created = await applications.createWithKey(
        server.app.ctx,
        { id: `app_${apps}`, name: `Acme ${apps}`, redirectUris: [redirectUri], ...input },
        {},
        { kind: "cli", name: "test" },
      );
      const { id } = created.application;
      const headers = { authorization: `Bearer ${created.apiKey}`, "x-service-app-id": id };
      return { id, apiKey: created.apiKey, redirectUri, headers };
    },
    async databaseText() {
      if (dialect === "postgres") {
        const { storage } = server.app.ctx;
        const rows = await Promise.all(
          Object.values(storage.reader.tables).map((table) => storage.reader.db.select().from(table)),
        );
        return JSON.stringify(rows);
      }
      const files = readdirSync(dataDir).filter((file) => file.startsWith("authsvc.db"));
      // By another process: when one that has a file open closes it a second time, its locks on it
      // end (POSIX).
      return execFileSync("cat", files, { cwd: dataDir, encoding: "latin1", maxBuffer: 1024 ** 3 });
    },
  };
  return {
    service,
    async restart(): Promise<void> {
      await server.close();
      server = await start();
    },
    async stop(): Promise<void> {
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The service with a new application, for a test that needs both. */
export async function withApp(
  service: TestService,
  input: Partial<NewApplication> = {},
): Promise<{ service: TestService; app: TestApp }> {
  return { service, app: await service.createApp(input) };
}

/** An application for all tests beside it, which has its properties when they run. */
export function useApp(service: TestService, input: Partial<NewApplication> = {}): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => {
    Object.assign(app, await service.createApp(input));
  });
  return app;
}

/** The application of development mode, which is there from the start. */
export function demoApp({ server }: TestService): TestApp {
  const { appId: id = "", apiKey = "" } = server.dev ?? {};
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": id };
  return { id, apiKey, redirectUri: `${server.app.ctx.baseUrl}/dev/demo/callback`, headers };
}

/** An operator changes an application. */
export async function updateApp({ server }: TestService, { id }: { id: string }, change: ApplicationChange) {
  return await applications.update(server.app.ctx, id, change, { kind: "cli", name: "test" });
}

/** A service for all tests beside it, which has its properties when they run. It returns itself. */
export type ServiceOfTests = TestService & (() => TestService);

/** Its settings, and what else is not as usual: its log, randomness or fetch. */
type Given = Partial<Config> & { surroundings?: Omit<Surroundings, "clock"> };

type Described = [tests: Tests] | [given: Given, tests: Tests];

/** Starts it before the tests, and stops it after them. */
export function serviceOfTests(
  ...having: Parameters<typeof startTestService>
): [service: ServiceOfTests, control: { restart(): Promise<void> }] {
  const service: ServiceOfTests = Object.assign(() => service, {} as TestService);
  let running: Awaited<ReturnType<typeof startTestService>> | undefined;
  beforeAll(async () => {
    running = await startTestService(...having);
    Object.defineProperties(service, Object.getOwnPropertyDescriptors(running.service));
  });
  afterEach(() => {
    service.clock.now = Math.max(service.clock.now, Date.now());
  });
  afterAll(async () => await running?.stop());
  return [service, { restart: async () => await running?.restart() }];
}

/** The same service at another of its addresses. */
export function atUrl(service: TestService, url: string): TestService {
  return Object.create(service, { url: { value: url } });
}

/** A service of one test alone, stopped after it. */
export async function serviceOfTest(...having: Parameters<typeof startTestService>): Promise<TestService> {
  const { service, stop } = await startTestService(...having);
  onTestFinished(stop);
  return service;
}

type Tests = (service: ServiceOfTests, control: { restart(): Promise<void> }) => void;

/** Runs the same tests on both databases, each on a service of its own. */
export function describeEachDatabase(title: string, ...described: Described): void {
  if (ranBefore()) return;
  describe.each<Dialect>(threads > 1 ? ["sqlite"] : ["sqlite", "postgres"])(`${title} (%s)`, (dialect) => {
    withService(dialect, described);
  });
}

/**
 * The same on SQLite in `npm test`, and on PostgreSQL in `npm run test:long`: for use cases whose
 * statements other files already run on both.
 */
export function describeSqliteFirst(title: string, ...described: Described): void {
  const dialect = isLongRun ? "postgres" : "sqlite";
  describe(`${title} (${dialect})`, () => {
    withService(dialect, described);
  });
}

/** The same on SQLite alone, for rules that no storage has a part in. */
export function describeOnSqlite(title: string, ...described: Described): void {
  if (ranBefore()) return;
  describe(title, () => {
    withService("sqlite", described);
  });
}

function withService(dialect: Dialect, described: Described): void {
  const [{ surroundings, ...overrides }, tests] = described.length === 2 ? described : [{} as Given, described[0]];
  tests(...serviceOfTests(dialect, overrides, surroundings));
}
