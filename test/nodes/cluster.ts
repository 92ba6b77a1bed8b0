import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openApp } from "../../src/process/app.ts";
import type { ApplicationChange } from "../../src/applications/settings.ts";
import * as applications from "../../src/applications/service.ts";
import { servingProgram } from "../support/program.ts";
import { testConfig, type TestApp, type TestService } from "../support/service.ts";
import { startBalancer } from "./balancer.ts";

/** Milliseconds. Several processes start at once, and one of the next version reads all sources. */
export const startPatience = 120_000;

export type Node = { url: string; service: TestService; process: ChildProcess; log(): string };

/** Several processes of the service over one database, and what stands in front of them. */
export async function startCluster(count: number, databaseUrl: string, environment: Record<string, string> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "authsvc-nodes-"));
  const balancer = await startBalancer();
  const masterKey = randomBytes(32).toString("base64url");
  const shared = {
    AUTHSVC_DATABASE__URL: databaseUrl,
    AUTHSVC_DATABASE__POOL_SIZE: "5",
    AUTHSVC_MASTER_KEY: masterKey,
    AUTHSVC_BASE_URL: balancer.url,
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "1000000",
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
    AUTHSVC_RATE_LIMITS__USER_MANAGEMENT: "1000000",
    ...environment,
  };
  // All at once: each of them finds a database without a schema, and one makes it.
  const nodes = await Promise.all(Array.from({ length: count }, (_, number) => startNode(folder, number, shared)));
  for (const node of nodes) balancer.add(node.url);
  const operator = await openApp(
    {
      ...testConfig,
      dataDir: folder,
      masterKey,
      database: { url: databaseUrl, poolSize: 2 },
    },
    { baseUrl: balancer.url },
  );
  return {
    nodes,
    balancer,
    operator,
    /** What people and apps see. */
    service: { url: balancer.url } as TestService,

    async createApp(change: ApplicationChange = {}): Promise<TestApp> {
      const redirectUri = "https://app.example/callback";
      const created = await applications.createWithKey(
        operator.ctx,
        { name: "Acme", redirectUris: [redirectUri], ...change },
        {},
        { kind: "cli", name: "test" },
      );
      const { id } = created.application;
      const headers = { authorization: `Bearer ${created.apiKey}`, "x-service-app-id": id };
      return { id, apiKey: created.apiKey, redirectUri, headers };
    },

    /** One more, which serves as soon as it is there. */
    async addNode(more: Record<string, string> = {}): Promise<Node> {
      const node = await startNode(folder, nodes.length, { ...shared, ...more });
      nodes.push(node);
      balancer.add(node.url);
      return node;
    },

    /** As a supervisor stops it: the balancer finds out by itself. */
    async stopNode(node: Node): Promise<number | null> {
      const code = await endNode(node, "SIGTERM");
      balancer.remove(node.url);
      nodes.splice(nodes.indexOf(node), 1);
      return code;
    },

    async stop(): Promise<void> {
      await operator.close();
      await balancer.close();
      await Promise.all(nodes.map(async (node) => await endNode(node, "SIGTERM")));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

async function startNode(folder: string, number: number, environment: Record<string, string>): Promise<Node> {
  const [file, ...words] = servingProgram(environment);
  const child = spawn(file, [...words, "serve", "--port", "0"], {
    cwd: folder,
    env: {
      AUTHSVC_DATA: path.join(folder, `node${number}`),
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const url = await new Promise<string>((listening, fail) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /listening on (\S+)\n/u.exec(output)?.[1];
      if (found !== undefined) listening(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => fail(new Error(`a node ended with ${code}: ${output}`)));
  });
  return { url, service: { url } as TestService, process: child, log: () => output };
}

/** Sends the signal, and waits until the process is gone; answers its exit code. */
export async function endNode({ process: child }: Node, signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill(signal);
  return await ended;
}
