import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a provider received. */
export type Received = {
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  headers: IncomingHttpHeaders;
};

export type Reply = { status?: number; headers?: Record<string, string>; body?: string | object };

/** Undefined: the answer never comes, unless the handler wrote it itself. */
export type Handler = (received: Received, response: ServerResponse) => Reply | undefined | Promise<Reply | undefined>;

export type FakeServer = {
  origin: string;
  /** Everything that arrived, oldest first. */
  received: Received[];
  close(): Promise<void>;
};

/**
 * A web server on this machine, under another name than the service: to a browser it is another
 * site.
 */
export async function startFakeServer(handlerFor: (path: string) => Handler | undefined): Promise<FakeServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://localhost");
      const one = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        form: new URLSearchParams(Buffer.concat(chunks).toString("utf8")),
        headers: request.headers,
      };
      received.push(one);
      const handler = handlerFor(url.pathname) ?? (() => ({ status: 404, body: "nothing here" }));
      void Promise.resolve(handler(one, response)).then((reply) => reply && send(response, reply));
    });
  });
  return {
    origin: `http://127.0.0.1:${await newPort(server)}`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A service keeps what it read of an issuer: no other one may have its address later. */
const issued = new Set<number>();

async function newPort(server: Server): Promise<number> {
  for (;;) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    if (!issued.has(port)) {
      issued.add(port);
      return port;
    }
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: Reply): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/html; charset=utf-8" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
