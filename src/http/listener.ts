import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { randomUUID } from "node:crypto";
import { AppError } from "../lib/errors.ts";

export type TlsFiles = { certFile: string; keyFile: string };

export type Listener = { port: number; close(): Promise<void>; reloadCertificate(): void };

/** Far below Node's defaults: a client that dribbles its request holds a socket for seconds, not for minutes. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  // Refused below, with the contract's error object.
  requireHostHeader: false,
};
const idleCheckMilliseconds = 50;

/** Listens on one address; rejects with Node's error when it cannot. Throws INVALID_CONFIG for certificate files that cannot be used. */
export async function listen(
  address: { host: string; port: number; tls: TlsFiles | undefined },
  handler: RequestListener,
): Promise<Listener> {
  const { tls } = address;
  const answer: RequestListener = (message, response) => {
    // RFC 9112 §3.2.
    if (message.headers.host === undefined && message.httpVersion === "1.1")
      answerGarbage(new Error("no Host"), message.socket);
    else handler(message, response);
  };
  const server: Server | HttpsServer = tls
    ? createHttpsServer({ ...limits, ...certificate(tls), minVersion: "TLSv1.2" }, answer)
    : createHttpServer(limits, answer);
  server.on("clientError", answerGarbage);
  // An expectation that nobody knows may be ignored (RFC 9110 §10.1.1); Node would answer 417 without the contract's error object.
  server.on("checkExpectation", answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,

    /** Takes no new connection, lets every request that has begun finish, then resolves. */
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection that was busy when closing began becomes idle later, and would otherwise stay until its keep-alive time is over.
      const timer = setInterval(() => server.closeIdleConnections(), idleCheckMilliseconds);
      await closed;
      clearInterval(timer);
    },

    /** Connections from now on get what is in the files now. Throws INVALID_CONFIG, and changes nothing, when that cannot be used. */
    reloadCertificate(): void {
      if (tls) (server as HttpsServer).setSecureContext(certificate(tls));
    },
  };
}

function certificate({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  } catch (error) {
    throw new AppError("INVALID_CONFIG", `listen.tls: ${(error as Error).message}`, { cause: error });
  }
}

/** What is not HTTP gets the contract's error object too, as far as there is somebody to read it. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, details] = statusOfGarbage(error.code);
  const requestId = `req_${randomUUID().replaceAll("-", "")}`;
  const body = JSON.stringify({
    error: { code: "INVALID_REQUEST", message: "The request is not valid.", details, requestId },
  });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function statusOfGarbage(code: string | undefined): [string, string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["431 Request Header Fields Too Large", "headers: at most 16 KiB"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["408 Request Timeout", "the request took too long to arrive"];
  return ["400 Bad Request", "not HTTP"];
}
