import { connect, type Socket } from "node:net";

export type Received = { status: number; head: string; body: string };

/**
 * One keep-alive connection, one call at a time: what is measured shares its cores with whoever asks, and fetch costs more than the service
 * does. Knows only what the service sends: every answer has a content-length. One that the service has closed meanwhile, because nothing was asked
 * for some seconds, is made anew.
 */
export async function openConnection(url: string) {
  const { hostname, port, host } = new URL(url);
  let received = "";
  let waiting: { resolve(answer: Received): void; reject(error: Error): void } | undefined;
  let socket = await connected();

  async function connected(): Promise<Socket> {
    const made = connect({
      host: hostname === "localhost" ? "127.0.0.1" : hostname,
      port: Number(port),
      noDelay: true,
    });
    await new Promise((resolve, reject) => made.once("connect", resolve).once("error", reject));
    // Of an answer that broke off.
    received = "";
    // One character a byte, so that lengths agree; what is looked for in answers is ASCII.
    made.setEncoding("latin1");
    made.on("data", receive);
    // The end of an old connection may come when its successor waits for an answer already.
    made.on("error", (error) => made === socket && fail(error));
    made.on("close", () => made === socket && fail(new Error("the service closed the connection")));
    return made;
  }

  function receive(chunk: string): void {
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

/** Headers as `send` takes them. */
export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
