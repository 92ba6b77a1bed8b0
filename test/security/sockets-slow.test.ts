import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useService } from "../support/one-service.ts";
import { call, initiate } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";

/** As `src/http/listener.ts` has them; a request that takes longer is looked for every 2 s. */
const headersSeconds = 10;
const requestSeconds = 15;
const checkedEverySeconds = 2;
/** For a machine that has other things to do. */
const slackSeconds = 12;

type Held = { socket: Socket; received: string; openedAt: number; closedAt: number | undefined };

describe("clients that take their time", () => {
  const current = useService();
  let app: TestApp;
  const open: Socket[] = [];
  beforeAll(async () => {
    app = await current().createApp();
  });
  afterAll(() => {
    for (const socket of open) socket.destroy();
  });

  async function hold(): Promise<Held> {
    const socket = connect(Number(new URL(current().url).port), "127.0.0.1");
    open.push(socket);
    const held: Held = { socket, received: "", openedAt: performance.now(), closedAt: undefined };
    socket.on("data", (data) => (held.received += data.toString("latin1")));
    socket.on("error", () => undefined);
    socket.on("close", () => (held.closedAt = performance.now()));
    await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
    return held;
  }

  /** Writes a little every 200 ms until the other end has had enough; how long that took, in seconds. */
  async function dribble(held: Held, start: string, next: string, seconds: number): Promise<number> {
    held.socket.write(start);
    while (held.closedAt === undefined && performance.now() - held.openedAt < seconds * 1000) {
      await pause(200);
      if (held.closedAt === undefined) held.socket.write(next);
    }
    return ((held.closedAt ?? Infinity) - held.openedAt) / 1000;
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

  // These three wait for the clock, so they wait together.
  it.concurrent("whoever sends slowly is told 408 or hung up on, after 10 s of headers or 15 s of a request, while others are answered", async () => {
    const slow = kinds.map(async ([what, start, next, seconds]) => {
      const held = await Promise.all(Array.from({ length: 5 }, hold));
      const took = await Promise.all(held.map((each) => dribble(each, start(), next, most(seconds))));
      return took.map((each, at) => ({ what, seconds, took: each, received: held[at]?.received }));
    });
    for (let calls = 0; calls < 50; calls += 1) await initiate(current(), app);
    for (const { what, seconds, took, received } of (await Promise.all(slow)).flat()) {
      expect([what, took]).toEqual([
        what,
        expect.toSatisfy((each: number) => each > seconds - 1 && each < most(seconds)),
      ]);
      expect([what, received]).toEqual([what, expect.stringMatching(/^(?:$|HTTP\/1\.1 408 Request Timeout\r\n)/u)]);
    }
  }, 120_000);

  it.concurrent("300 connections that say nothing keep nobody else waiting, and go away", async () => {
    const idle: Held[] = [];
    // A few at a time: the system queues no more than some connections that nobody has accepted yet.
    for (let batch = 0; batch < 10; batch += 1) idle.push(...(await Promise.all(Array.from({ length: 30 }, hold))));
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(current(), "GET", "/healthz", {})));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await expect
      .poll(() => idle.filter(({ closedAt }) => closedAt === undefined).length, {
        timeout: most(headersSeconds) * 1000,
        interval: 500,
      })
      .toBe(0);
  }, 60_000);

  it.concurrent("a connection that was used stays open for 5 s and no longer", async () => {
    const held = await hold();
    held.socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(() => held.closedAt !== undefined, { timeout: most(5) * 1000, interval: 200 }).toBe(true);
    expect(held.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
  }, 60_000);

  it("whoever closes its own half still gets the answer to what it sent", async () => {
    const held = await hold();
    held.socket.end("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await expect.poll(() => held.closedAt !== undefined, { timeout: 20_000 }).toBe(true);
    expect(held.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"status":"ok"\}$/u);
  });

  it("whoever asks a thousand times and reads nothing costs no more than the answers that fit into the socket", async () => {
    const held = await hold();
    held.socket.pause();
    const asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    held.socket.write(asked);
    for (let calls = 0; calls < 20; calls += 1) expect((await call(current(), "GET", "/healthz", {})).status).toBe(200);
    // 1,000 of them would be far more than 50 MB.
    expect(process.memoryUsage().external).toBeLessThan(100 * 1024 * 1024);
    held.socket.destroy();
    await initiate(current(), app);
  });
});
