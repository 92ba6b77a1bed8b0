import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../../process/app.ts";
import * as applications from "../../applications/service.ts";
import type { Config } from "../../config/config.ts";
import { sizeThreadPool } from "../../credentials/passwords/thread-pool.ts";
import { newSecret, systemRandom } from "../../lib/random.ts";
import { silentLog } from "../../lib/silent-log.ts";
import { startServer, type RunningServer } from "../../process/server.ts";
import { callHeaders } from "./connection.ts";
import { repeat, type Load } from "./load.ts";
import { measureHashes } from "./hashes.ts";
import { makeLogins } from "./logins.ts";
import { rounded } from "./percentiles.ts";
import { openSignIns } from "./sign-ins.ts";
import { openTraffic } from "./traffic.ts";

/** One measurement, with `atOnce` operations running at any time. */
export type Figure = {
  figure: "argon2" | "validate" | "refresh" | "sign-in";
  atOnce: number;
  perSecond: number;
  medianMilliseconds: number;
  p99Milliseconds: number;
};

export type Benchmark = {
  machine: { node: string; platform: string; cores: number; processor: string };
  passwords: { memoryKiB: number; iterations: number; parallelism: number };
  /** The measured service's database, even if the configuration names PostgreSQL. */
  database: "sqlite";
  seconds: number;
  figures: Figure[];
};

/** Three kinds of hashing, and three kinds of calls. */
export const numberOfFigures = 6;

/** More connections would only wait: client and service share a process. */
const connections = 16;
const unlimited = 1_000_000_000;
const actor = { kind: "cli", name: "bench" } as const;
const redirectUri = "https://bench.example/callback";

/**
 * Measures this machine with a configuration's parameters, for `seconds` per figure. The service
 * runs in this process, on loopback, with a temporary SQLite database. That is in the data folder
 * if it exists, because its disk matters. Everything is removed afterwards.
 */
export async function measure(
  config: Config,
  { seconds, isStopping }: { seconds: number; isStopping(): boolean },
): Promise<Benchmark> {
  const { memoryKiB, iterations, parallelism, concurrency } = config.passwords;
  // Like the service, which starts with a sized pool.
  sizeThreadPool(concurrency);
  const figures: Figure[] = [];
  const isOver = (_done: number, elapsedSeconds: number): boolean => elapsedSeconds >= seconds || isStopping();
  const add = (figure: Figure["figure"], load: Load): void => void figures.push(figureOf(figure, load));
  const parameters = { memoryKiB, iterations, parallelism };
  for (const atOnce of [1, 2, 4]) add("argon2", await measureHashes(parameters, atOnce, isOver));
  await withService(config, async ({ app, url }) => {
    const { client, bearers, refreshTokens, people } = await createUsers(app);
    using validates = await openTraffic({ kind: "get", url: `${url}/auth/validate`, headers: bearers }, connections);
    const headers = callHeaders(client.id, client.apiKey);
    const refresh = { kind: "refresh", url: `${url}/auth/refresh`, headers, tokens: refreshTokens } as const;
    using refreshes = await openTraffic(refresh, connections);
    using signIns = await openSignIns(url, client, people, connections);
    // The first calls are slower, because their code is not compiled yet.
    await repeat(validates.works, (done) => done >= connections * 20);
    add("validate", await repeat(validates.works, isOver));
    await repeat(refreshes.works, (done) => done >= connections * 10);
    add("refresh", await repeat(refreshes.works, isOver));
    add("sign-in", await repeat(signIns.works, isOver));
  });
  return {
    machine: {
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      cores: availableParallelism(),
      processor: cpus()[0]?.model.trim() ?? "unknown",
    },
    passwords: parameters,
    database: "sqlite",
    seconds,
    figures,
  };
}

function figureOf(figure: Figure["figure"], load: Load): Figure {
  return {
    figure,
    atOnce: load.atOnce,
    perSecond: rounded(load.perSecond),
    medianMilliseconds: rounded(load.medianMilliseconds),
    p99Milliseconds: rounded(load.p99Milliseconds),
  };
}

async function withService(config: Config, work: (server: RunningServer) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(existsSync(config.dataDir) ? config.dataDir : tmpdir(), "bench-"));
  try {
    const server = await startServer(
      {
        ...config,
        dev: false,
        dataDir,
        baseUrl: undefined,
        listen: { host: "127.0.0.1", port: 0, tls: undefined },
        trustedProxies: [],
        database: { url: undefined, poolSize: 1 },
        masterKey: undefined,
        mail: undefined,
        metrics: undefined,
        passwords: { ...config.passwords, attemptsPerMinute: unlimited },
        rateLimits: {
          authentication: unlimited,
          userManagement: unlimited,
          applicationManagement: unlimited,
          webhooks: unlimited,
        },
      },
      { log: silentLog },
    );
    try {
      await work(server);
    } finally {
      await server.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** An application, and users of it with a login and a password. */
async function createUsers(app: App) {
  const { application, apiKey } = await applications.createWithKey(
    app.ctx,
    { name: "bench", redirectUris: [redirectUri] },
    {},
    actor,
  );
  const password = newSecret(systemRandom);
  const logins = await makeLogins(app, application.id, connections, { password });
  return {
    client: { id: application.id, apiKey, redirectUri },
    bearers: logins.map(({ accessToken }) => callHeaders(application.id, accessToken)),
    refreshTokens: logins.map(({ refreshToken }) => refreshToken),
    people: logins.map(({ email }) => ({ email, password })),
  };
}
