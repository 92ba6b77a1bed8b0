import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Balancer = {
  url: string;
  add(nodeUrl: string): void;
  remove(nodeUrl: string): void;
  close(): Promise<void>;
};

/**
 * Which answers are the balancer's own: its node died over the call, and nobody knows whether it
 * was carried out.
 */
export const ownAnswer = "x-balancer";

/**
 * Sends each request to the next node, and to the one after it where that one is not there. Knows
 * nothing of sessions.
 */
export async function startBalancer(): Promise<Balancer> {
  const nodes: string[] = [];
  let turn = 0;

  async function forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    turn += 1;
    const order = nodes.map((_, place) => nodes[(turn + place) % nodes.length] ?? "");
    for (const node of order) {
      if ((await passTo(node, message, Buffer.concat(chunks), response)) === "answered") return;
    }
    response.writeHead(502, { [ownAnswer]: "no node" }).end();
  }

  const server = createServer((message, response) => void forward(message, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    add: (node) => void nodes.push(node),
    remove: (node) => void nodes.splice(nodes.indexOf(node), 1),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function passTo(
  node: string,
  message: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<"answered" | "not there"> {
  return await new Promise((done) => {
    // A connection for each call, so that a call that finds nobody was certainly not carried out.
    const call = request(node + message.url, { method: message.method, headers: message.headers, agent: false });
    call.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.on("end", () => done("answered"));
      answer.on("error", () => {
        response.destroy();
        done("answered");
      });
    });
    call.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") {
        done("not there");
        return;
      }
      if (!response.headersSent) response.writeHead(502, { [ownAnswer]: "node died" });
      response.end();
      done("answered");
    });
    call.end(body);
  });
}
