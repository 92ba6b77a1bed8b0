import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../support/receiver.ts";
import { emptyFolder, finish } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";

const rounds = 3;
const { serve, addressOf } = servingProcesses();

type Call = { method: string; path: string; headers?: Record<string, string>; body?: string };

describeEachPlace("SIGTERM under load (E14)", (place, dialect) => {
  // With PostgreSQL, one thread serves.
  test.skipIf(process.platform === "win32").each(dialect === "sqlite" ? ["1", "2"] : ["1"])(
    "resets nothing that was accepted, says so with Connection: close, and ends with 0 within 10 s (%s threads)",
    async (threads) => {
      const made = await answer(
        ["app", "create", "--name", "Shop", "--redirect-uri", "https://shop.example/cb"],
        place,
      );
      const { application, apiKey } = made as { application: { id: string }; apiKey: string };
      const calls: Call[] = [
        { method: "GET", path: "/readyz" },
        {
          method: "POST",
          path: "/auth/initiate",
          headers: {
            authorization: `Bearer ${apiKey}`,
            "x-service-app-id": application.id,
            "content-type": "application/json",
          },
          body: JSON.stringify({ redirectUri: "https://shop.example/cb" }),
        },
      ];
      for (let round = 0; round < rounds; round += 1) {
        const env = { ...place.env, AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000" };
        const child = serve(["--port", "0", "--threads", threads], place.cwd, env);
        const finished = finish(child);
        const port = Number(new URL(await addressOf(child)).port);
        const clients = Array.from({ length: 12 }, () => new Client(port));
        const working = clients.map((client, index) => client.work(calls[index % 2] as Call));
        await until(() => clients.every(({ answers }) => answers > 5));
        await pause(round * 10);
        const before = performance.now();
        child.kill("SIGTERM");
        const { code, signal } = await finished;
        const took = performance.now() - before;
        await Promise.all(working);
        expect({ code, signal }).toEqual({ code: 0, signal: null });
        expect(took).toBeLessThan(10_000);
        expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
        // Whoever asks once more is told that it was the last time, and a balancer that this node
        // is not ready.
        const told = clients.filter(({ toldToClose }) => toldToClose);
        expect(told.length).toBeGreaterThan(0);
        expect(told.filter(({ asksReadiness, unready }) => asksReadiness && !unready)).toEqual([]);
      }
    },
  );
});

test.skipIf(process.platform === "win32")(
  "E14: a request that does not end costs nothing that was counted before SIGTERM",
  async () => {
    const cwd = emptyFolder();
    const child = serve(["--port", "0"], cwd);
    const finished = finish(child);
    const url = await addressOf(child);
    const refused = { authorization: "Bearer nobody", "x-service-app-id": "app_nowhere" };
    expect((await fetch(`${url}/auth/validate`, { headers: refused })).status).toBe(401);
    const slow = connect(Number(new URL(url).port), "127.0.0.1");
    await once(slow, "connect");
    slow.on("error", () => {}).write("POST /auth/refresh HTTP/1.1\r\nHost: a\r\n");
    child.kill("SIGTERM");
    expect((await finished).code).toBe(0);
    slow.destroy();
    expect(await answer(["audit", "list", "--action", "call.refused"], { cwd })).toMatchObject([
      { details: { code: "INVALID_TOKEN" } },
    ]);
  },
);

/**
 * One keep-alive connection at a time, one request after the other until nobody listens any more.
 */
class Client {
  answers = 0;
  toldToClose = false;
  asksReadiness = false;
  unready = false;
  readonly failures: string[] = [];
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number) {
    this.#port = port;
  }

  async work(call: Call): Promise<void> {
    this.asksReadiness = call.path === "/readyz";
    for (;;) {
      try {
        const response = await this.#ask(call);
        this.answers += 1;
        if (response.headers.connection === "close") this.toldToClose = true;
        if (response.statusCode === 503 && this.asksReadiness) this.unready = true;
        else if (response.statusCode !== 200) this.failures.push(`status ${response.statusCode}`);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== "ECONNREFUSED") this.failures.push(code ?? message);
        this.#agent.destroy();
        return;
      }
    }
  }

  async #ask({ method, path, headers, body }: Call): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method, path, headers, host: "127.0.0.1", port: this.#port, agent: this.#agent };
    const asked = request(options, (response) => {
      response
        .on("error", reject)
        .on("end", () => resolve(response))
        .resume();
    });
    asked.on("error", reject).end(body);
    return await promise;
  }
}
