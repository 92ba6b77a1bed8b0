import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { apiRoutes } from "../../src/api/routes.ts";
import { openSqliteConnection } from "../../src/storage/sqlite/sqlite.ts";
import { emptyFolder } from "../cli/command.ts";
import { freePort } from "../support/free-port.ts";
import { KeptConnection } from "../support/kept-connection.ts";
import { newEmail, redeem, signUp, type Tokens } from "../support/person.ts";
import { startProcess } from "../support/process.ts";
import type { RawAnswer } from "../support/raw-http.ts";
import { until } from "../support/receiver.ts";

/** The kernel spreads them over the threads: that all are of one is as likely as 1 in 32,768. */
const connectionCount = 16;
const threads = 2;

type Service = Awaited<ReturnType<typeof startProcess>>;

async function startThreads(more: Record<string, string> = {}) {
  const data = emptyFolder();
  const hook = join(import.meta.dirname, "../support/named-threads.mjs");
  const started = await startProcess(data, {
    AUTHSVC_LISTEN__THREADS: String(threads),
    NODE_OPTIONS: `--import=${hook}`,
    ...more,
  });
  const connections = Array.from({ length: connectionCount }, () => new KeptConnection(started.service));
  onTestFinished(() => {
    for (const connection of connections) connection.close();
  });
  return { ...started, data, connections };
}

function bytesOf(method: string, path: string, headers: Record<string, string>, body = ""): Buffer {
  const lines = Object.entries({ host: "127.0.0.1", "content-length": String(body.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
}

async function signedUp({ service, app }: Service): Promise<Tokens> {
  return await redeem(service, app, await signUp(service, app, { email: newEmail() }));
}

const validateBytes = ({ app }: Service, { accessToken }: Tokens): Buffer =>
  bytesOf("GET", "/auth/validate", { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id });

const refreshBytes = ({ app }: Service, refreshToken: string): Buffer =>
  bytesOf(
    "POST",
    "/auth/refresh",
    { ...app.headers, "content-type": "application/json" },
    JSON.stringify({ refreshToken }),
  );

const threadsOf = (answers: RawAnswer[]): Set<string | undefined> =>
  new Set(answers.map(({ headers }) => headers.get("x-thread")));

const statuses = (answers: RawAnswer[]): number[] => answers.map(({ status }) => status);

describe.skipIf(process.platform !== "linux")("HTTP threads", () => {
  it("a logout that one thread answers is seen by the next call on every other", async () => {
    const running = await startThreads();
    const { connections } = running;
    for (const connection of connections) {
      const tokens = await signedUp(running);
      const validate = validateBytes(running, tokens);
      const before = await Promise.all(connections.map((each) => each.exchange(validate, false)));
      expect(statuses(before)).toEqual(connections.map(() => 200));
      expect(threadsOf(before).size).toBe(threads);
      const headers = { authorization: `Bearer ${tokens.accessToken}`, "content-type": "application/json" };
      expect((await connection.exchange(bytesOf("POST", "/auth/logout", headers, "{}"), false)).status).toBe(200);
      const after = await Promise.all(connections.map((each) => each.exchange(validate, false)));
      expect(statuses(after)).toEqual(connections.map(() => 401));
    }
  });

  it("every route that only reads is answered without a write", async () => {
    const running = await startThreads();
    const { accessToken } = await signedUp(running);
    const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": running.app.id };
    for (const { method, path } of apiRoutes.filter(({ reads }) => reads)) {
      const answer = await running.connections[0]?.exchange(bytesOf(method, path, headers), false);
      expect(answer?.status, path).toBeLessThan(500);
    }
    expect(running.log()).not.toContain('"level":"error"');
  });

  it("a limit is exact over all threads, whichever of them and the main thread count", async () => {
    const limit = 90;
    const running = await startThreads({ AUTHSVC_RATE_LIMITS__USER_MANAGEMENT: String(limit) });
    const { accessToken } = await signedUp(running);
    const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
    const calls = [bytesOf("GET", "/users/profile", headers), bytesOf("PATCH", "/users/profile", headers, "{}")];
    const answers: RawAnswer[] = [];
    await Promise.all(
      running.connections.map(async (connection) => {
        for (let round = 0; round < limit / 5; round += 1)
          answers.push(await connection.exchange(calls[round % 2] as Buffer, false));
      }),
    );
    expect(threadsOf(answers).size).toBe(threads);
    // The calls may fall into two minutes.
    for (const inMinute of Map.groupBy(answers, ({ headers }) => headers.get("x-ratelimit-reset")).values()) {
      const admitted = inMinute.filter(({ status }) => status !== 429);
      const left = admitted.map((answer) => Number(answer.headers.get("x-ratelimit-remaining")));
      const expected = Array.from({ length: Math.min(limit, inMinute.length) }, (_, used) => limit - 1 - used);
      expect(left.toSorted((a, b) => b - a)).toEqual(expected);
    }
    expect(statuses(answers)).toContain(429);
  });

  it("50 parallel refreshes of one token on all threads have one successor", async () => {
    const running = await startThreads();
    const { refreshToken } = await signedUp(running);
    const connections = Array.from({ length: 50 }, () => new KeptConnection(running.service));
    const answers = await Promise.all(
      connections.map((connection) => connection.exchange(refreshBytes(running, refreshToken), false)),
    );
    for (const connection of connections) connection.close();
    expect(threadsOf(answers).size).toBe(threads);
    expect(statuses(answers)).toEqual(answers.map(() => 200));
    const successors = new Set(answers.map(({ body }) => (JSON.parse(body) as Tokens).refreshToken));
    expect(successors.size).toBe(1);
    expect(successors).not.toContain(refreshToken);
  });

  it("a thread that is killed under load is replaced, and no request of another one is lost", async () => {
    const running = await startThreads();
    const people = await Promise.all(running.connections.map(() => signedUp(running)));
    const served = running.connections.map(() => new Set<string | undefined>());
    const lost: { from: string | undefined; error: string }[] = [];
    let before: string[] = [];
    let answered = 0;
    const stop = new AbortController();
    // A request whose connection is closed is sent once more, on another one.
    const working = running.connections.map(async (connection, position) => {
      let { refreshToken } = people[position] as Tokens;
      while (!stop.signal.aborted) {
        try {
          const answer = await connection.exchange(refreshBytes(running, refreshToken), false);
          served[position]?.add(answer.headers.get("x-thread"));
          expect(answer.status, answer.body).toBe(200);
          ({ refreshToken } = JSON.parse(answer.body) as Tokens);
          answered += 1;
        } catch (error) {
          // A thread that dies closes those that it has not accepted yet as well.
          lost.push({ from: before[position], error: String(error) });
        }
      }
    });
    await until(() => answered > 200, "calls on each thread");
    before = served.map((seen) => [...seen].join(" "));
    expect(new Set(before).size).toBe(threads);
    running.process.kill("SIGUSR2");
    await until(() => running.log().includes("an HTTP thread ended and is replaced"), "the end of a thread");
    await until(async () => {
      const connection = new KeptConnection(running.service);
      const answer = await connection.exchange(bytesOf("GET", "/healthz", {}), false).catch(() => undefined);
      connection.close();
      return answer && !before.includes(answer.headers.get("x-thread") ?? "");
    }, "a new thread");
    stop.abort();
    await Promise.all(working);
    const killed = String(Math.min(...before.map(Number)));
    expect(lost.filter(({ from }) => from !== killed)).toEqual([]);
    const moved = served.map((seen, position) => ({ from: before[position], hasMoved: seen.size > 1 }));
    expect(moved).toEqual(before.map((from) => ({ from, hasMoved: from === killed })));
  });

  it("a connection that sends without waiting for answers is closed, and the others are served", async () => {
    const running = await startThreads();
    const { hostname, port } = new URL(running.service.url);
    const flood = connect(Number(port), hostname);
    // It reads nothing, and may be reset while it writes.
    flood.pause().on("error", () => {});
    flood.write(Buffer.concat(Array.from({ length: 2000 }, () => bytesOf("GET", "/healthz", {}))));
    let received = "";
    flood.on("data", (chunk) => (received += String(chunk)));
    await new Promise((resolve) => flood.resume().once("close", resolve));
    expect(received.split("HTTP/1.1 200").length - 1).toBeLessThan(100);
    const answers = await Promise.all(
      running.connections.map((each) => each.exchange(bytesOf("GET", "/healthz", {}), false)),
    );
    expect(statuses(answers)).toEqual(running.connections.map(() => 200));
  });

  it("calls whose clients are gone fill no memory: beyond 64 MiB of them, a thread closes connections", async () => {
    const running = await startThreads({ AUTHSVC_LOG__REQUESTS: "all" });
    const { hostname, port } = new URL(running.service.url);
    const headers = { ...running.app.headers, "content-type": "application/json" };
    const body = JSON.stringify({ redirectUri: running.app.redirectUri }) + " ".repeat(14_000);
    const calls = Buffer.concat(Array.from({ length: 16 }, () => bytesOf("POST", "/auth/initiate", headers, body)));
    // While the main thread cannot write, it answers none of these calls.
    const other = openSqliteConnection(join(running.data, "authsvc.db"));
    other.exec("BEGIN IMMEDIATE");
    const rounds = 800;
    for (let sent = 0; sent < rounds; sent += 20)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const client = connect(Number(port), hostname).on("error", () => {});
          await new Promise((resolve) => client.once("close", resolve).write(calls, () => client.destroy()));
        }),
      );
    other.exec("ROLLBACK");
    other.close();
    const carriedOut = (): number => running.log().split('"route":"/auth/initiate"').length - 1;
    let before = -1;
    await until(async () => {
      const isOver = carriedOut() > 0 && carriedOut() === before;
      before = carriedOut();
      await pause(500);
      return isOver;
    }, "the end of the calls");
    expect(carriedOut()).toBeGreaterThan(500);
    expect(carriedOut()).toBeLessThan(rounds * 16 * 0.8);
  });

  it("SIGTERM: all pipelined calls are answered", async () => {
    const metrics = await freePort();
    const running = await startThreads({ AUTHSVC_METRICS__PORT: String(metrics) });
    const first = await fetch(`${running.service.url}/auth/revocations`, { headers: running.app.headers });
    const { cursor } = (await first.json()) as { cursor: string };
    const { hostname, port } = new URL(running.service.url);
    const client = connect(Number(port), hostname);
    let received = "";
    client.on("data", (chunk) => (received += String(chunk)));
    const closed = new Promise((resolve) => client.once("close", resolve));
    const path = `/auth/revocations?after=${encodeURIComponent(cursor)}&wait=25`;
    client.write(Buffer.concat(Array.from({ length: 3 }, () => bytesOf("GET", path, running.app.headers))));
    await until(async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      return /^authsvc_revocation_waits 3$/mu.test(text);
    }, "three waits");
    running.process.kill("SIGTERM");
    await closed;
    expect(received.match(/HTTP\/1\.1 200 /gu)).toHaveLength(3);
    expect(received.match(/^connection: close\r$/gimu)).toHaveLength(1);
  });

  it("a host that no URL can have is refused, and ends nothing", async () => {
    const running = await startThreads();
    const answers = await Promise.all(
      ["a:99999", "999.999.999.999"].map((host, position) =>
        (running.connections[position] as KeptConnection).exchange(bytesOf("POST", "/%41", { host }), false),
      ),
    );
    expect(statuses(answers)).toEqual([400, 400]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ error: { code: "INVALID_REQUEST" } });
    expect((await fetch(`${running.service.url}/healthz`)).status).toBe(200);
  });

  it("readers on every thread do not hold back the log's copying", async () => {
    const running = await startThreads();
    const tokens = await Promise.all(running.connections.map(() => signedUp(running)));
    const connection = openSqliteConnection(join(running.data, "authsvc.db"));
    const stop = new AbortController();
    const working = running.connections.map(async (each, position) => {
      let { refreshToken } = tokens[position] as Tokens;
      while (!stop.signal.aborted) {
        const answer = await each.exchange(refreshBytes(running, refreshToken), false);
        ({ refreshToken } = JSON.parse(answer.body) as Tokens);
        await each.exchange(validateBytes(running, tokens[position] as Tokens), false);
      }
    });
    let copied = 0;
    await until(() => {
      const [result] = connection.pragma("wal_checkpoint(PASSIVE)") as { log: number; checkpointed: number }[];
      if (result && result.log > 0 && result.log === result.checkpointed) copied += 1;
      return copied >= 50;
    }, "copies of the whole log");
    stop.abort();
    await Promise.all(working);
    connection.close();
  });
});
