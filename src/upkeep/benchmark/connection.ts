import { connect, type Socket } from "node:net";

export type Connection = Awaited<ReturnType<typeof openConnection>>;

export type Received = { status: number; head: string; body: string };

/** Larger than most answers. */
const bufferBytes = 16_384;

/**
 * A keep-alive connection for one call at a time. Fetch would cost more than the service, with
 * which the client shares its cores. Only supports what the service sends: every answer has a
 * content-length. Reconnects if the service closed the idle connection.
 */
export async function openConnection(url: string) {
  const { hostname, port, host } = new URL(url);
  let received = "";
  let waiting: { resolve(answer: Received): void; reject(error: Error): void } | undefined;
  let socket = await connected();

  async function connected(): Promise<Socket> {
    const buffer = Buffer.allocUnsafe(bufferBytes);
    const made = connect({
      host: hostname === "localhost" ? "127.0.0.1" : hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        // One buffer instead of one per chunk: a call costs a fifth less.
        buffer,
        callback(length) {
          // One character per byte, so that lengths match; only ASCII is searched in answers.
          receive(buffer.toString("latin1", 0, length));
          return true;
        },
      },
    });
    await new Promise((resolve, reject) => made.once("connect", resolve).once("error", reject));
    // The rest of an interrupted answer.
    received = "";
    // An old connection may end when its successor is already waiting for an answer.
    made.on("error", (error) => made === socket && fail(error));
    made.on("close", () => made === socket && fail(new Error("the service closed the connection")));
    return made;
  }

  function receive(chunk: string): void {
    received += chunk;
    const end = received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = received.slice(0, end);
    const next = end + 4 + Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1]);
    if (received.length < next) return;
    const body = received.slice(end + 4, next);
    received = received.slice(next);
    const answered = waiting;
    waiting = undefined;
    answered?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = undefined;
  }

  return {
    /** `headers`: lines that end with CRLF. */
    async send(method: "GET" | "POST", path: string, headers: string, body = ""): Promise<Received> {
      if (!socket.writable) socket = await connected();
      if (waiting) throw new Error("a connection takes one call at a time");
      const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
      const answer = new Promise<Received>((resolve, reject) => (waiting = { resolve, reject }));
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${headers}${length}\r\n${body}`);
      return await answer;
    },
    close: () => socket.destroy(),
  };
}

/** The body of an answer with this status. Throws for any other. */
export function bodyOf({ status, body }: Received, wanted: number): string {
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body.slice(0, 200)}`);
  return body;
}

/** The headers of a call with an API key, or with a user's access token. */
export function callHeaders(appId: string, token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "x-service-app-id": appId };
}

/** Headers in the form of `send`. */
export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
