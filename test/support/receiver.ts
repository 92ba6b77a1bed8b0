import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";

export type Received = {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { event: string; timestamp: string; data: Record<string, string | null> };
  /**
   * When it came and, unless it is still being answered, when that was over: of
   * `performance.now()`.
   */
  began: number;
  ended: number | undefined;
};

/** How a receiver answers its next calls: a status, or whatever it does to the answer. */
export type Script = number | ((answer: ServerResponse, received: Received) => void | Promise<void>);

/** A webhook receiver that does as it is told. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const received: Received[] = [];
  const scripts: Script[] = [];
  let usually: Script = 204;
  const sockets = new Set<Socket>();
  const server = createServer((request, answer) => {
    const began = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const call: Received = {
        id: String(request.headers["webhook-id"]),
        path: request.url ?? "",
        headers: request.headers,
        text,
        body: (isForm(request.headers)
          ? { data: Object.fromEntries(new URLSearchParams(text)) }
          : JSON.parse(text)) as Received["body"],
        began,
        ended: undefined,
      };
      received.push(call);
      answer.on("close", () => (call.ended = performance.now()));
      const script = scripts.shift() ?? usually;
      if (typeof script === "number") answer.writeHead(script).end();
      else void script(answer, call);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** Connections that are open now. */
    connections: () => sockets.size,
    /** What the next calls get, one each. */
    next(...answers: Script[]): void {
      scripts.push(...answers);
    },
    /** What every call gets for which nothing else is said. */
    always(answer: Script): void {
      usually = answer;
    },
    of: (event: string): Received[] => received.filter((call) => call.body.event === event),
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A receiver for the tests beside it, from their start on. */
export function useReceiver(): Receiver {
  const receiver = {} as Receiver;
  beforeAll(async () => void Object.assign(receiver, await startReceiver()));
  afterAll(async () => await receiver.stop());
  return receiver;
}

/** Logout tokens come as a form, whose fields are in `data`. */
function isForm(headers: IncomingHttpHeaders): boolean {
  return headers["content-type"] === "application/x-www-form-urlencoded";
}

/** Waits until something is so; what is not so after a minute never is. */
export async function until<T>(look: () => T | Promise<T>, what = look.toString()): Promise<NonNullable<T>> {
  const giveUpAt = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > giveUpAt) throw new Error(`never came: ${what}`);
    await pause(20);
  }
}

/** Waits until a program answers there without an error: a proxy before it may be there first. */
export async function untilListening(url: string): Promise<void> {
  await until(
    async () =>
      await fetch(url, { redirect: "manual" }).then(
        ({ status }) => status < 400,
        () => false,
      ),
    `${url} listens`,
  );
}
