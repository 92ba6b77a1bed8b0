import { connect } from "node:net";

export type Received = { status: number; head: string; body: string };

/**
 * One keep-alive connection, one call at a time: what is measured shares its cores with whoever asks, and fetch costs more than the service
 * does. Knows only what the service sends: every answer has a content-length.
 */
export async function openConnection(url: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect({
    host: hostname === "localhost" ? "127.0.0.1" : hostname,
    port: Number(port),
    noDelay: true,
  });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let received = "";
  let waiting: { resolve(answer: Received): void; reject(error: Error): void } | undefined;
  // One character a byte, so that lengths agree; what is looked for in answers is ASCII.
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk;
    const end = received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1]);
    if (received.length < end + 4 + length) return;
    const body = received.slice(end + 4, end + 4 + length);
    received = received.slice(end + 4 + length);
    const answered = waiting;
    waiting = undefined;
    answered?.resolve({ status: Number(head.slice(9, 12)), head, body });
  });
  socket.on("error", (error) => waiting?.reject(error));
  socket.on("close", () => waiting?.reject(new Error("the service closed the connection")));
  return {
    /** `headers`: lines that end with CRLF. */
    async send(method: "GET" | "POST", path: string, headers: string, body = ""): Promise<Received> {
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

/** Headers as `send` takes them. */
export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
