import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { Server as NetServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import { readCertificate, type TlsFiles } from "./certificate.ts";

export type Listener = {
  port: number;
  close(): Promise<void>;
  reloadCertificate(): void;
  /** Epoch milliseconds; undefined without TLS. */
  certificateValidUntil(): number | undefined;
};

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
/** A connection in use is not idle for longer between two requests; one that is closed while its next request is under way is a reset. */
const lullMilliseconds = 1_000;

/** Listens on one address; rejects with Node's error when it cannot. Throws INVALID_CONFIG for certificate files that cannot be used. */
export async function listen(
  address: { host: string; port: number; tls: TlsFiles | undefined },
  handler: RequestListener,
  clock: Clock,
): Promise<Listener> {
  const { tls } = address;
  let certificate = tls && readCertificate(tls, clock());
  let closing = false;
  const newest: NewestRequests = new WeakMap();
  const answer: RequestListener = (message, response) => {
    noteNewest(newest, message, response);
    if (closing) response.setHeader("connection", "close");
    if (hasGoodHost(message)) handler(message, response);
    else {
      const { headers, body } = objection("Host: exactly one, a name or an address");
      response.writeHead(400, headers).end(body);
    }
  };
  const server: Server | HttpsServer = certificate
    ? createHttpsServer({ ...limits, cert: certificate.cert, key: certificate.key, minVersion: "TLSv1.2" }, answer)
    : createHttpServer(limits, answer);
  server.on("clientError", (error, socket) => afterAnswersTo(newest.get(socket), () => answerGarbage(error, socket)));
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

    /**
     * Takes no new connection, lets every request that has begun finish, then resolves. A request on an open connection is still answered, with
     * `Connection: close`: the other end then knows, and no request of its gets lost. What stays idle is closed after a moment.
     */
    async close(): Promise<void> {
      closing = true;
      // Not the close of node:http, which cuts off at once whatever is idle at this very moment.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await Promise.race([closed, pause(lullMilliseconds, undefined, { ref: false })]);
      const timer = setInterval(() => server.closeIdleConnections(), idleCheckMilliseconds);
      await closed;
      clearInterval(timer);
      // Ends its own look-out for slow connections.
      server.close();
    },

    /** Connections from now on get what is in the files now. Throws INVALID_CONFIG, and changes nothing, when that cannot be used. */
    reloadCertificate(): void {
      if (!tls) return;
      const fresh = readCertificate(tls, clock());
      (server as HttpsServer).setSecureContext({ cert: fresh.cert, key: fresh.key, minVersion: "TLSv1.2" });
      certificate = fresh;
    },

    certificateValidUntil: () => certificate?.validUntil,
  };
}

/** A name or an address, and a port (RFC 3986 §3.2.2). */
const hostForm = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/iu;

/** RFC 9112 §3.2: one Host and no more. Of two, whoever stands in front may have judged the other; Node would keep the first in silence. */
function hasGoodHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 ? hostForm.test(headers.host ?? "") : hosts === 0 && httpVersion === "1.0";
}

/** The request that began last on a connection, and the answer to the one before it. */
type NewestRequests = WeakMap<
  Duplex,
  { message: IncomingMessage; response: ServerResponse; before: ServerResponse | undefined }
>;

function noteNewest(newest: NewestRequests, message: IncomingMessage, response: ServerResponse): void {
  const known = newest.get(message.socket);
  if (known) {
    known.before = known.response;
    known.message = message;
    known.response = response;
  } else {
    newest.set(message.socket, { message, response, before: undefined });
  }
}

/** Answers leave in the order of their requests (RFC 9112 §9.3.2): an early one would be taken for the answer to a request before it. */
function afterAnswersTo(newest: ReturnType<NewestRequests["get"]>, act: () => void): void {
  // What cannot be read may be the rest of the newest request itself, which then never gets an answer of its own.
  const last = newest?.message.complete === false ? newest.before : newest?.response;
  if (!last || last.writableFinished || last.destroyed) act();
  else last.once("close", act);
}

/** What is not HTTP gets the contract's error object too, as far as there is somebody to read it. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, details] = statusOfGarbage(error.code);
  const { headers, body } = objection(details);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
}

/** The contract's error object for what no route has seen; whoever sent it is not listened to any further. */
function objection(details: string): { headers: Record<string, string>; body: string } {
  const requestId = `req_${randomUUID().replaceAll("-", "")}`;
  const body = JSON.stringify({
    error: { code: "INVALID_REQUEST", message: "The request is not valid.", details, requestId },
  });
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Request-Id": requestId,
    Connection: "close",
    "Content-Length": String(Buffer.byteLength(body)),
  };
  return { headers, body };
}

function statusOfGarbage(code: string | undefined): [string, string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["431 Request Header Fields Too Large", "headers: at most 16 KiB"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["408 Request Timeout", "the request took too long to arrive"];
  return ["400 Bad Request", "not HTTP"];
}
