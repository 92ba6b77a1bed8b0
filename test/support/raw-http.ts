import { request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import type { TestService } from "./service.ts";

/** One answer of a raw connection; header names in lower case. */
export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/**
 * Sends bytes as they are, and reads answers until the other end closes or has been silent for a
 * while.
 */
export async function sendBytes(service: Pick<TestService, "url">, bytes: string | Buffer): Promise<RawAnswer[]> {
  const { port } = new URL(service.url);
  const text = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect(Number(port), "127.0.0.1");
    // The first answer may take its time on a busy machine.
    socket.setTimeout(5000, () => socket.destroy());
    socket.on("data", (data) => {
      received += data.toString("latin1");
      socket.setTimeout(1000);
    });
    // It may close before everything is sent.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(received));
    socket.write(bytes);
  });
  return answersIn(text);
}

function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== "";) {
    const [head = "", ...behind] = rest.split("\r\n\r\n");
    const [start = "", ...lines] = head.split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.slice(line.indexOf(":") + 2)]),
    );
    const after = behind.join("\r\n\r\n");
    const length = headers.has("content-length") ? Number(headers.get("content-length")) : after.length;
    answers.push({ status: Number(/^HTTP\/1\.1 (\d{3})/u.exec(start)?.[1]), headers, body: after.slice(0, length) });
    rest = after.slice(length);
  }
  return answers;
}

/** A request with a Host and a path as they are, which fetch would tidy up. */
export async function sendUntidied(
  service: Pick<TestService, "url">,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
) {
  const { port, host } = new URL(service.url);
  return await new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    // Of a GET, Node sends a body without its length.
    const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const all = { host, ...length, ...headers };
    const options = { host: "127.0.0.1", port, method, path, headers: all, setHost: false, agent: false };
    const sent = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.once("error", reject).end(body);
  });
}
