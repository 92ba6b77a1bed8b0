import { Agent, request } from "node:http";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { silentLog } from "./lib/log.ts";
import { systemRandom } from "./lib/random.ts";
import { createHasher } from "./passwords/hasher.ts";
import { startServer, type RunningServer } from "./server.ts";

/** One thing that was measured, with `atOnce` of it under way at any moment. */
export type Figure = {
  figure: "argon2" | "validate" | "refresh";
  atOnce: number;
  perSecond: number;
  medianMilliseconds: number;
  p99Milliseconds: number;
};

export type Benchmark = {
  machine: { node: string; platform: string; cores: number; processor: string };
  passwords: { memoryKiB: number; iterations: number; parallelism: number };
  seconds: number;
  figures: Figure[];
};

/** Beside connections, more only wait: client and service share a process. */
const connections = 16;
const unlimited = 1_000_000_000;
const actor = { kind: "cli", name: "bench" } as const;

/**
 * Measures this machine with the parameters of a configuration: `seconds` for each figure. The service is started in this process, on loopback,
 * over a SQLite database of its own, in the data folder where there is one, because that disk is what matters. Nothing of it is left afterwards.
 */
export async function measure(
  config: Config,
  { seconds, isStopping }: { seconds: number; isStopping(): boolean },
): Promise<Benchmark> {
  const { memoryKiB, iterations, parallelism } = config.passwords;
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
    const { validates, refreshes, close } = await openCalls(server);
    try {
      // The first calls are slower: what they run is not compiled yet.
      await repeated(validates, onceEach(validates.length * 20));
      figures.push({ figure: "validate", ...(await repeated(validates, until())) });
      await repeated(refreshes, onceEach(refreshes.length * 10));
      figures.push({ figure: "refresh", ...(await repeated(refreshes, until())) });
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
    seconds,
    figures,
  };
}

function onceEach(times: number): () => boolean {
  let left = times;
  return () => (left -= 1) < 0;
}

/** Runs each of `works` again and again, all of them at once. */
async function repeated(works: (() => Promise<void>)[], isOver: () => boolean): Promise<Omit<Figure, "figure">> {
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
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => rounded(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  return {
    atOnce: works.length,
    perSecond: rounded(took.length / seconds),
    medianMilliseconds: at(0.5),
    p99Milliseconds: at(0.99),
  };
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
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

/** Logins, one for each connection, and the calls that are made with them. */
async function openCalls(server: RunningServer) {
  const { application, apiKey } = await server.app.services.applications.createWithKey({ name: "bench" }, {}, actor);
  const send = caller(server.url.replace("localhost", "127.0.0.1"));
  const appId = { "x-service-app-id": application.id };
  const logins = [];
  for (let made = 0; made < connections; made += 1) logins.push(await login(server, application.id, made));
  return {
    validates: logins.map(({ accessToken }) => async () => {
      await send("GET", "/auth/validate", { ...appId, authorization: `Bearer ${accessToken}` });
    }),
    refreshes: logins.map(({ refreshToken: first }) => {
      let refreshToken = first;
      const headers = { ...appId, authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      return async () => {
        const answer = await send("POST", "/auth/refresh", headers, JSON.stringify({ refreshToken }));
        ({ refreshToken } = JSON.parse(answer) as { refreshToken: string });
      };
    }),
    close: send.close,
  };
}

async function login({ app }: RunningServer, appId: string, made: number) {
  const { userAdministration, tokens, users, applications } = app.services;
  const created = await userAdministration.create(
    { appId, email: `bench${made}@example.com`, emailVerified: false, name: null, password: undefined },
    { dryRun: false },
    actor,
  );
  const now = app.clock();
  const started = await app.storage.write((tx) =>
    tokens.startLogin(
      tx,
      {
        appId,
        userId: created.id,
        signedInWith: "password",
        provider: null,
        scopes: ["profile", "email"],
        publicClient: false,
        signedInAt: now,
        ipAddress: null,
        userAgent: null,
        browserSessionDigest: null,
      },
      now,
    ),
  );
  const [user, application] = [await users.find(created.id), await applications.find(appId)];
  if (!user || !application) throw new Error("what was just created is not there");
  return await tokens.firstPair(started, user, application, now);
}

/** Calls over connections that stay open. */
function caller(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  async function send(method: "GET" | "POST", path: string, headers: Record<string, string>, body?: string) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const call = request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("error", reject).on("end", () => {
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${path} answered ${answer.statusCode}`));
      });
    });
    call.on("error", reject).end(body);
    return await promise;
  }
  return Object.assign(send, { close: () => agent.destroy() });
}
