import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { useService } from "../../support/one-service.ts";
import { call, initiate } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { useApp, serviceOfTest, type TestService } from "../../support/service.ts";
import { writeCertificate } from "../../support/tls-files.ts";

/**
 * As `src/http/listener.ts` and `connections.ts` have them; what takes longer is looked for every
 * second.
 */
const headersSeconds = 10;
const requestSeconds = 13;
const stallSeconds = 12;
const checkedEverySeconds = 1;
/** For a machine that has other things to do. */
const slackSeconds = 12;

type Connection = { socket: Socket; received: string; openedAt: number; closedAt: number | undefined };

const isWithin = (since: number, seconds: number): boolean => performance.now() - since < seconds * 1000;

const open: Socket[] = [];
afterAll(() => {
  for (const socket of open) socket.destroy();
});

async function holdOn(service: Pick<TestService, "server">): Promise<Connection> {
  const socket = connect(Number(new URL(service.server.url).port), "127.0.0.1");
  open.push(socket);
  const connection: Connection = { socket, received: "", openedAt: performance.now(), closedAt: undefined };
  socket.on("data", (data) => (connection.received += data.toString("latin1")));
  socket.on("error", () => undefined);
  socket.on("close", () => (connection.closedAt = performance.now()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return connection;
}

describe("clients that take their time", () => {
  const service = useService();
  const app = useApp(service);
  const hold = async (): Promise<Connection> => await holdOn(service);

  /**
   * Writes a little every 200 ms until the other end has had enough; how long that took, in
   * seconds.
   */
  async function dribble(connection: Connection, start: string, next: string, seconds: number): Promise<number> {
    connection.socket.write(start);
    while (connection.closedAt === undefined && performance.now() - connection.openedAt < seconds * 1000) {
      await pause(200);
      if (connection.closedAt === undefined) connection.socket.write(next);
    }
    return ((connection.closedAt ?? Infinity) - connection.openedAt) / 1000;
  }

  const post = () =>
    `POST /auth/initiate HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${app.headers["authorization"]}\r\n` +
    `X-Service-App-ID: ${app.id}\r\nContent-Type: application/json\r\n`;
  const most = (seconds: number): number => seconds + checkedEverySeconds + slackSeconds;

  const kinds: [what: string, start: () => string, next: string, seconds: number][] = [
    ["nothing at all", () => "", "", headersSeconds],
    ["one header after the other", () => "GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "X-A: b\r\n", headersSeconds],
    ["one character of a header after the other", () => "GET /healthz HTTP/1.1\r\nX-A: ", "b", headersSeconds],
    ["one byte of a body after the other", () => `${post()}Content-Length: 10000\r\n\r\n{`, " ", requestSeconds],
    [
      "one chunk of a body after the other",
      () => `${post()}Transfer-Encoding: chunked\r\n\r\n`,
      "1\r\n \r\n",
      requestSeconds,
    ],
    ["half a body, and then nothing", () => `${post()}Content-Length: 100\r\n\r\n{`, "", requestSeconds],
  ];

  // These wait for the clock, so they wait together.
  it.concurrent("anybody who sends slowly is told 408 or hung up on, after 10 s of headers or 13 s of a request, while others are answered", async () => {
    const slow = kinds.map(async ([what, start, next, seconds]) => {
      const connections = await Promise.all(Array.from({ length: 5 }, hold));
      const took = await Promise.all(connections.map((each) => dribble(each, start(), next, most(seconds))));
      return took.map((each, at) => ({ what, seconds, took: each, received: connections[at]?.received }));
    });
    for (let calls = 0; calls < 50; calls += 1) await initiate(service, app);
    for (const { what, seconds, took, received } of (await Promise.all(slow)).flat()) {
      expect([what, took]).toEqual([
        what,
        expect.toSatisfy((each: number) => each > seconds - 1 && each < most(seconds)),
      ]);
      expect([what, received]).toEqual([what, expect.stringMatching(/^(?:$|HTTP\/1\.1 408 Request Timeout\r\n)/u)]);
    }
  });

  it.concurrent("300 connections that say nothing keep nobody else waiting, and go away", async () => {
    const idle: Connection[] = [];
    // A few at a time: the system queues no more than some connections that nobody has accepted
    // yet.
    for (let batch = 0; batch < 10; batch += 1) idle.push(...(await Promise.all(Array.from({ length: 30 }, hold))));
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(service, "GET", "/healthz", {})));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await expect
      .poll(() => idle.filter(({ closedAt }) => closedAt === undefined).length, {
        timeout: most(headersSeconds) * 1000,
        interval: 500,
      })
      .toBe(0);
  });

  it.concurrent("a connection that was used stays open for 5 s and no longer", async () => {
    const connection = await hold();
    connection.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(() => connection.closedAt !== undefined, { timeout: most(5) * 1000, interval: 200 }).toBe(true);
    expect(connection.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
  });

  // It waits for the clock as well.
  it.concurrent("anybody who takes nothing of its answers is cut off after 12 s, and not while it takes a little", async () => {
    const asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const answers = 200;
    const everything = answers * (await (await fetch(`${service.url}/openapi.json`)).bytes()).length;
    const stalled = await Promise.all(Array.from({ length: 10 }, hold));
    const slow = await hold();
    for (const { socket } of [...stalled, slow]) {
      socket.pause();
      // More than the buffers of both ends hold.
      socket.write(asked.repeat(answers));
    }
    // What is written to a connection that the other end has dropped ends a paused socket too,
    // which hears nothing else.
    while (stalled.some(({ closedAt, openedAt }) => closedAt === undefined && isWithin(openedAt, most(stallSeconds)))) {
      const taken = slow.received.length;
      await pause(500);
      for (const { socket } of stalled) if (socket.writable) socket.write("G");
      slow.socket.resume();
      await until(() => slow.received.length >= Math.min(taken + 500_000, everything));
      slow.socket.pause();
    }
    for (const { received, openedAt, closedAt } of stalled) {
      expect(((closedAt ?? Infinity) - openedAt) / 1000).toBeGreaterThan(stallSeconds - 1);
      expect(closedAt).toBeDefined();
      expect(received.length).toBeLessThan(everything);
    }
    slow.socket.resume();
    await until(() => slow.received.length > everything);
  });

  it("anybody who closes its own half still gets the answer to what it sent", async () => {
    const connection = await hold();
    connection.socket.end("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(() => connection.closedAt !== undefined, { timeout: 60_000 }).toBe(true);
    expect(connection.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"status":"ok"\}$/u);
  });

  it("anybody who asks a thousand times and reads nothing costs no more than the answers that fit into the socket", async () => {
    const before = process.memoryUsage().external;
    const connection = await hold();
    connection.socket.pause();
    const asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    connection.socket.write(asked);
    for (let calls = 0; calls < 20; calls += 1) expect((await call(service, "GET", "/healthz", {})).status).toBe(200);
    // 1,000 of them would be far more than 50 MB.
    expect(process.memoryUsage().external - before).toBeLessThan(50_000_000);
    connection.socket.destroy();
    await initiate(service, app);
  });
});

describe("more connections than may be open", () => {
  it("are closed at once with one line in the log, and others are answered when one of them has gone", async () => {
    const lines = new PassThrough();
    let logged = "";
    lines.on("data", (chunk: Buffer) => (logged += chunk.toString()));
    const listen = { host: "127.0.0.1", port: 0, tls: undefined, maxConnections: 5 };
    const log = createLog({ level: "info", format: "json" }, lines);
    const service = await serviceOfTest("sqlite", { listen }, { log });
    const connections = await Promise.all(Array.from({ length: 5 }, async () => await holdOn(service)));
    const refused = await Promise.all(Array.from({ length: 20 }, async () => await holdOn(service)));
    await expect.poll(() => refused.filter(({ closedAt }) => closedAt === undefined), { timeout: 60_000 }).toEqual([]);
    expect(refused.map(({ received }) => received).join("")).toBe("");
    expect(logged.match(/listen\.maxConnections/gu)).toHaveLength(1);
    expect(connections.filter(({ closedAt }) => closedAt !== undefined)).toEqual([]);
    connections[0]?.socket.destroy();
    await expect.poll(async () => (await fetch(`${service.url}/healthz`).catch(() => undefined))?.status).toBe(200);
  });
});

describe("a TLS handshake that is never finished", () => {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-tls-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const handshakeSeconds = 10;
  /** A record that announces 512 bytes of a ClientHello. */
  const begun = Buffer.from("1603010200010001fc0303", "hex");

  it("ends with its connection after 10 s, whether nothing came, or half of it, or a byte now and then, or no TLS", async () => {
    await writeCertificate(folder);
    const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
    const listen = { host: "127.0.0.1", port: 0, tls };
    const service = await serviceOfTest("sqlite", { listen, baseUrl: "https://localhost" });
    const silent = await holdOn(service);
    const half = await holdOn(service);
    half.socket.write(begun);
    const dribbling = await holdOn(service);
    dribbling.socket.write(begun);
    const timer = setInterval(() => dribbling.socket.write("a"), 200);
    const plain = await holdOn(service);
    plain.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const connections = [silent, half, dribbling, plain];
    const allowed = (handshakeSeconds + slackSeconds) * 1000;
    await expect
      .poll(() => connections.map(({ closedAt }) => closedAt !== undefined), { timeout: allowed, interval: 200 })
      .toEqual([true, true, true, true]);
    clearInterval(timer);
  });
});
