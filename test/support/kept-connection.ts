import { connect, type Socket } from "node:net";
import type { RawAnswer } from "./raw-http.ts";
import type { TestService } from "./service.ts";

/**
 * One keep-alive connection for bytes as they are, one request after the other; opened anew when
 * the other end has closed it.
 */
export class KeptConnection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(service: Pick<TestService, "url">) {
    this.#port = Number(new URL(service.url).port);
  }

  /** The one answer to these bytes. Rejects when there is none, and when there is more. */
  async exchange(bytes: Buffer, toHead: boolean): Promise<RawAnswer> {
    const isReused = this.#socket !== undefined;
    try {
      return await this.#exchange(bytes, toHead);
    } catch (error) {
      // The other end may have closed a connection that was idle just when this was on its way (RFC
      // 9112 §9.3.1).
      if (!isReused) throw error;
      return await this.#exchange(bytes, toHead);
    }
  }

  async #exchange(bytes: Buffer, toHead: boolean): Promise<RawAnswer> {
    const socket = this.#opened();
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    let received = "";
    const take = (data: Buffer): void => {
      received += data.toString("latin1");
      // 100 Continue is not the answer yet.
      received = received.replace(/^HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/u, "");
      const found = firstAnswerIn(received, toHead);
      if (!found) return;
      // What is not HTTP is answered with a body, whatever method it may have had, and is the last
      // on its connection.
      if (received.length > found.end && found.answer.headers.get("connection") !== "close")
        reject(new Error(`more than one answer: ${received.slice(found.end)}`));
      else resolve(found.answer);
    };
    const ended = (): void => reject(new Error(`closed after ${JSON.stringify(received)}, sent: ${quoted(bytes)}`));
    socket.on("data", take);
    socket.once("close", ended);
    socket.write(bytes);
    try {
      const answer = await promise;
      if (answer.headers.get("connection") === "close") this.close();
      return answer;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      socket.off("data", take);
      socket.off("close", ended);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #opened(): Socket {
    if (this.#socket) return this.#socket;
    const socket = connect(this.#port, "127.0.0.1").setNoDelay();
    // What it was about is known by the close that follows.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    this.#socket = socket;
    return socket;
  }
}

/** The first answer in what came, and where it ends; undefined while it is not all there. */
function firstAnswerIn(text: string, toHead: boolean): { answer: RawAnswer; end: number } | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [start = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  const end = headEnd + 4 + (toHead ? 0 : Number(headers.get("content-length") ?? 0));
  if (text.length < end) return undefined;
  const body = Buffer.from(text.slice(headEnd + 4, end), "latin1").toString("utf8");
  return { answer: { status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(start)?.[1]), headers, body }, end };
}

function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1").slice(0, 1500));
}
