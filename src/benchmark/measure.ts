import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { sizeThreadPool } from "../passwords/thread-pool.ts";
import { silentLog } from "../lib/silent-log.ts";
import { newSecret, systemRandom } from "../lib/random.ts";
import { createHasher } from "../passwords/hasher.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openBrowser } from "./browser.ts";
import { bodyOf, openConnection } from "./connection.ts";
import { makeLogins } from "./logins.ts";
import { percentile, rounded } from "./percentiles.ts";

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

type Work = () => Promise<void>;

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
  const until = (): (() => boolean) => {
    const end = performance.now() + seconds * 1000;
    return () => performance.now() >= end || isStopping();
  };
  for (const atOnce of [1, 2, 4]) {
    const hasher = createHasher(
      { memoryKiB, iterations, parallelism, concurrency: atOnce, queueSize: 0 },
      systemRandom,
    );
    const hashes = Array.from({ length: atOnce }, () => async () => void (await hasher.hash("correct horse battery")));
    figures.push({ figure: "argon2", ...(await repeated(hashes, until())) });
  }
  await withService(config, async (server) => {
    const { validates, refreshes, signIns, close } = await openCalls(server);
    try {
      // The first calls are slower, because their code is not compiled yet.
      await repeated(validates, onceEach(validates.length * 20));
      figures.push({ figure: "validate", ...(await repeated(validates, until())) });
      await repeated(refreshes, onceEach(refreshes.length * 10));
      figures.push({ figure: "refresh", ...(await repeated(refreshes, until())) });
      // The first sign-in in a new browser differs from later ones.
      await repeated(signIns, onceEach(signIns.length));
      figures.push({ figure: "sign-in", ...(await repeated(signIns, until())) });
    } finally {
      close();
    }
  });
  return {
    machine: {
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      cores: availableParallelism(),
      processor: cpus()[0]?.model.trim() ?? "unknown",
    },
    passwords: { memoryKiB, iterations, parallelism },
    database: "sqlite",
    seconds,
    figures,
  };
}

function onceEach(times: number): () => boolean {
  let left = times;
  return () => (left -= 1) < 0;
}

/** Repeats each of `works`, all in parallel. */
async function repeated(works: Work[], isOver: () => boolean): Promise<Omit<Figure, "figure">> {
  const took: number[] = [];
  const began = performance.now();
  await Promise.all(
    works.map(async (work) => {
      while (!isOver()) {
        const start = performance.now();
        await work();
        took.push(performance.now() - start);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return {
    atOnce: works.length,
    perSecond: rounded(took.length / seconds),
    medianMilliseconds: rounded(percentile(took, 0.5)),
    p99Milliseconds: rounded(percentile(took, 0.99)),
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

/** Users with logins, a connection for each, and their calls. */
async function openCalls({ app, url }: RunningServer) {
  const { application, apiKey } = await app.services.applications.createWithKey(
    { name: "bench", redirectUris: [redirectUri] },
    {},
    actor,
  );
  const password = newSecret(systemRandom);
  const logins = await makeLogins(app, application.id, connections, { password });
  const appId = `x-service-app-id: ${application.id}\r\n`;
  const calls = await Promise.all(
    logins.map(async (login) => {
      const connection = await openConnection(url);
      const browser = await openBrowser(url, { id: application.id, apiKey, redirectUri }, { ...login, password });
      const bearer = `${appId}authorization: Bearer ${login.accessToken}\r\n`;
      const server = `${appId}authorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n`;
      let { refreshToken } = login;
      return {
        async validate() {
          bodyOf(await connection.send("GET", "/auth/validate", bearer), 200);
        },
        async refresh() {
          const answer = await connection.send("POST", "/auth/refresh", server, JSON.stringify({ refreshToken }));
          ({ refreshToken } = JSON.parse(bodyOf(answer, 200)) as { refreshToken: string });
        },
        signIn: browser.signIn,
        close() {
          connection.close();
          browser.close();
        },
      };
    }),
  );
  return {
    validates: calls.map(({ validate }): Work => validate),
    refreshes: calls.map(({ refresh }): Work => refresh),
    signIns: calls.map(({ signIn }): Work => signIn),
    close: () => calls.forEach(({ close }) => close()),
  };
}
