import { mkdtempSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { writeCertificate } from "./tls-files.ts";

/** What a receiver does with connections. */
export type Manner =
  | "confirms"
  /** FIN without close_notify, as of a process that was killed. */
  | "dies at the end"
  | "dies after half"
  | "reads nothing"
  /** Ends by close_notify before the sender does. */
  | "ends first";

export type Received = { number: number; id: string; action: string; text: string };

/** A syslog receiver (RFC 5425) that behaves as it is told. */
export async function startReceiver() {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-syslog-"));
  const certificate = await writeCertificate(folder);
  const received: Received[] = [];
  /** The numbers of each connection, in the order in which they came. */
  const connections: number[][] = [];
  const open = new Set<TLSSocket>();
  let manner: Manner = "confirms";
  const files = { key: readFileSync(join(folder, "key.pem")), cert: certificate };
  // Node's server sends no close_notify with TLS 1.3 (rsyslog does).
  const server = createServer({ ...files, maxVersion: "TLSv1.2", allowHalfOpen: true }, (socket) => {
    const numbers: number[] = [];
    let waiting = Buffer.alloc(0);
    open.add(socket);
    connections.push(numbers);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    if (manner === "reads nothing") return void socket.pause();
    socket.on("data", (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let frame = takeFrame(); frame !== undefined; frame = takeFrame()) {
        const message = parsed(frame);
        received.push(message);
        numbers.push(message.number);
        if (manner === "dies after half" && numbers.length >= 3) return void socket.destroy();
        if (manner === "ends first") return void socket.end();
      }
    });
    socket.on("end", () => {
      if (manner === "dies at the end") socket.destroy();
      else socket.end();
    });

    function takeFrame(): string | undefined {
      const [prefix, digits] = /^(\d+) /u.exec(waiting.subarray(0, 12).toString("latin1")) ?? [];
      if (prefix === undefined) return undefined;
      const end = prefix.length + Number(digits);
      if (waiting.length < end) return undefined;
      const frame = waiting.subarray(prefix.length, end).toString("utf8");
      waiting = waiting.subarray(end);
      return frame;
    }
  });
  const listen = async (at: number): Promise<void> =>
    await new Promise((resolve) => server.listen(at, "127.0.0.1", () => resolve()));
  async function close(): Promise<void> {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    caFile: join(folder, "cert.pem"),
    received,
    connections,
    /** For connections from now on. */
    behave(how: Manner): void {
      manner = how;
      // One that reads nothing does not see the end of its connections.
      for (const socket of open) if (socket.isPaused()) socket.destroy();
    },
    isOpen: (): boolean => open.size > 0,
    /** Is down until `resume`. */
    pause: close,
    resume: async () => await listen(port),
    close,
  };
}

function parsed(text: string): Received {
  const [, number = "", id = ""] = /\[authsvc@32473 number="(\d+)" stream="[^"]*" id="([^"]*)"/u.exec(text) ?? [];
  const action = text.split(" ")[5] ?? "";
  return { number: Number(number), id, action, text };
}
