import { connect } from "node:net";
import { join } from "node:path";
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

/** At least; the kernel spreads them over the threads, until each has one. */
const minConnections = 16;
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
  const connections: KeptConnection[] = [];
  onTestFinished(() => {
    for (const connection of connections) connection.close();
  });
  const seen = new Set<string | undefined>();
  while (connections.length < minConnections || seen.size < threads) {
    const connection = new KeptConnection(started.service);
    connections.push(connection);
    const answer = await connection.exchange(bytesOf("GET", "/healthz", {}), false);
    seen.add(answer.headers.get("x-thread"));
  }
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
    // A call after all of them, on each thread; while too much waits, its connection is closed.
    const last = bytesOf("POST", "/auth/initiate", headers, body);
    for (const connection of running.connections) {
      const answer = await until(() => connection.exchange(last, false).catch(() => undefined), "an answer");
      const requestId = answer.headers.get("x-request-id") ?? "none";
      await until(() => running.log().includes(requestId), "the line of the last call");
    }
    const carriedOut = (): number => running.log().split('"route":"/auth/initiate"').length - 1;
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

  it("a person who opens an API path gets a page, with the status of the error", async () => {
    const running = await startThreads();
    const person = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const paths = ["/auth/validate", "/users/profile", "/auth/callback", "/nowhere"];
    const answers = await Promise.all(
      running.connections.flatMap((connection, position) => {
        const path = paths[position % paths.length] ?? "";
        return connection.exchange(bytesOf("GET", path, person), false).then((answer) => ({ path, answer }));
      }),
    );
    for (const { path, answer } of answers) {
      expect(answer.headers.get("content-type"), path).toBe("text/html; charset=utf-8");
      expect(answer.body, path).toMatch(/^<!doctype html>/iu);
    }
    expect(new Map(answers.map(({ path, answer }) => [path, answer.status]))).toEqual(
      new Map([
        ["/auth/validate", 401],
        ["/users/profile", 401],
        ["/auth/callback", 405],
        ["/nowhere", 404],
      ]),
    );
  });

  it("names outside ASCII are stored as sent, and chunked bodies arrive whole", async () => {
    const running = await startThreads();
    const { accessToken } = await signedUp(running);
    const authorization = `Bearer ${accessToken}`;
    for (const [position, connection] of running.connections.entries()) {
      const name = `Žofie 名前 🦊 ${position} ${"é".repeat(100)}`;
      const body = Buffer.from(JSON.stringify({ name }));
      // Cut within characters.
      const chunks = Array.from({ length: Math.ceil(body.length / 7) }, (_, part) =>
        body.subarray(part * 7, part * 7 + 7),
      ).flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
      const head = `PATCH /users/profile HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n`;
      const sent = `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
      const changed = await connection.exchange(
        Buffer.concat([Buffer.from(sent), ...chunks, Buffer.from("0\r\n\r\n")]),
        false,
      );
      expect(changed.status, changed.body).toBe(200);
      const read = await connection.exchange(bytesOf("GET", "/users/profile", { authorization }), false);
      expect((JSON.parse(read.body) as { name: string }).name).toBe(name);
    }
  });

  it("six thousand calls leave six thousand lines of the log", async () => {
    const running = await startThreads({ AUTHSVC_LOG__REQUESTS: "all" });
    const validate = validateBytes(running, await signedUp(running));
    const lines = (): number => running.log().split('"route":"/auth/validate"').length - 1;
    const [total, round] = [6000, 400];
    for (let sent = 0; sent < total; sent += round) {
      const turns = running.connections.map(async (connection, position) => {
        for (let call = position; call < round; call += running.connections.length)
          expect((await connection.exchange(validate, false)).status).toBe(200);
      });
      await Promise.all(turns);
      // More than 2,000 that nobody has written yet would be dropped.
      await until(() => lines() === sent + round, `${sent + round} lines, of which ${lines()} are there`);
    }
  });

  it("after a thread is replaced, no counter of the metrics is smaller", async () => {
    const port = await freePort();
    const running = await startThreads({ AUTHSVC_METRICS__PORT: String(port) });
    const validate = validateBytes(running, await signedUp(running));
    const countAll = async (): Promise<void> => {
      for (const connection of running.connections)
        expect((await connection.exchange(validate, false)).status).toBe(200);
    };
    const scrape = async (): Promise<Map<string, number>> => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const counters = new Set(text.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gmu).map(([, name]) => name));
      const samples = text.matchAll(/^(([a-z_]+?)(?:_bucket|_sum|_count)?(?:\{.*\})?) (\S+)$/gmu);
      return new Map(
        samples.flatMap(([, sample = "", name, value]) =>
          counters.has(name) ? [[sample, Number(value)] as const] : [],
        ),
      );
    };
    await countAll();
    const before = await scrape();
    const validates = [...before].filter(([name]) => name.includes("_count") && name.includes("/auth/validate"));
    expect(validates.map(([, count]) => count)).toEqual([running.connections.length]);
    running.process.kill("SIGUSR2");
    await until(() => running.log().includes("an HTTP thread ended and is replaced"), "the end of a thread");
    const after = await scrape();
    expect([...before].filter(([name, count]) => !((after.get(name) ?? 0) >= count))).toEqual([]);
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
