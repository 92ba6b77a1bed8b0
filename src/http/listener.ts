import { randomUUID } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import { Server as NetServer, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { readCertificate, type TlsFiles } from "./certificate.ts";
import { guardConnections } from "./connections.ts";
import { inheritedBacklog } from "./inherited-sockets.ts";

export type Listener = {
  port: number;
  /** Accepts no new connections. */
  stop(): Promise<void> | void;
  close(): Promise<void>;
  reloadCertificate(): void;
  /** Epoch milliseconds; undefined without TLS. */
  certificateValidUntil(): number | undefined;
};

/**
 * Far below Node's defaults: a client that sends its request slowly holds a socket for at most 15
 * s, including the check interval.
 */
const publicLimits = {
  headersTimeout: 10_000,
  requestTimeout: 13_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  // Checked below, to answer with the contract's error object.
  requireHostHeader: false,
};
/**
 * Checks carry whatever a browser sends to any program. Proxies keep connections for a minute, and
 * one that is closed as they use it again would be an error page.
 */
const proxyLimits = { ...publicLimits, maxHeaderSize: 65_536, keepAliveTimeout: 75_000 };
/** RFC 9325 §4.2: with TLS 1.2 only the four suites that it recommends. All of TLS 1.3 are good. */
const tlsVersions = { minVersion: "TLSv1.2", ciphers: "ECDHE+AESGCM" } as const;
/** Before the handshake there is no request, so the limits above do not apply. */
const handshakeTimeout = 10_000;
const idleCheckMilliseconds = 50;
/**
 * The gap between two requests on a connection in use. Closing earlier could reset a request under
 * way.
 */
const lullMilliseconds = 1_000;

/**
/**
 * Listens on one address, or on an inherited socket that has it. `reusePort`: as other threads do.
 * Rejects with Node's error if that fails. Throws INVALID_CONFIG for unusable certificate files.
 */
export async function listen(
  address: {
    host: string;
    port: number;
    inherited?: Socket | undefined;
    tls: TlsFiles | undefined;
    maxConnections: number;
    reusePort?: boolean;
    /** It answers checks of reverse proxies. */
    forProxies?: boolean;
  },
  handler: RequestListener,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Listener> {
  const { tls } = address;
  let certificate = tls && readCertificate(tls, clock());
  let closing = false;
  const newest: NewestRequests = new WeakMap();
  const answer: RequestListener = (message, response) => {
    recordNewest(newest, message, response);
    if (closing) response.setHeader("connection", "close");
    const details = hasGoodHost(message)
      ? framingProblem(message)
      : "Host: must be sent once, with a host name or IP address";
    if (details === undefined) handler(message, response);
    else {
      const { headers, body } = objection(details);
      response.writeHead(400, headers).end(body);
    }
  };
  const { forProxies = false } = address;
  const limits = forProxies ? proxyLimits : publicLimits;
  const server: Server | HttpsServer = certificate
    ? createHttpsServer(
        { ...limits, ...tlsVersions, handshakeTimeout, cert: certificate.cert, key: certificate.key },
        answer,
      )
    : createHttpServer(limits, answer);
  guardConnections(server, certificate ? "secureConnection" : "connection", { ...address, log });
  // Before Node's clientError: an answer is impossible, and `end` would wait for the handshake for
  // ever.
  server.prependListener("tlsClientError", (_error: Error, socket: Duplex) => socket.destroy());
  server.on("clientError", (error, socket) => afterAnswersTo(newest.get(socket), () => answerGarbage(error, socket)));
  // Unknown expectations may be ignored (RFC 9110 §10.1.1). Node would answer 417 without the
  // contract's error object.
  server.on("checkExpectation", answer);
  // Node would answer 100 by itself, and a check has no body.
  if (forProxies) server.on("checkContinue", answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    const { port, host, reusePort = false, inherited } = address;
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    if (inherited) server.listen(inherited, inheritedBacklog);
    else server.listen({ port, host, reusePort });
  });
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    // Not node:http's `close`, which immediately cuts connections that happen to be idle.
    stopped ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    await stopped;
  }
  return {
    port: (server.address() as AddressInfo).port,

    stop: () => void stop(),

    /**
     * Accepts no new connections, finishes all requests, then resolves. Requests on open
     * connections are answered with `Connection: close`, so clients lose none. Idle connections are
     * closed after a moment.
     */
    async close(): Promise<void> {
      closing = true;
      const closed = stop();
      await Promise.race([closed, pause(lullMilliseconds, undefined, { ref: false })]);
      const timer = setInterval(() => server.closeIdleConnections(), idleCheckMilliseconds);
      await closed;
      clearInterval(timer);
      // Stops the checks for slow connections.
      server.close();
    },

    /**
     * Uses the current certificate files for new connections. Throws INVALID_CONFIG without
     * changing anything if they are unusable.
     */
    reloadCertificate(): void {
      if (!tls) return;
      const fresh = readCertificate(tls, clock());
      (server as HttpsServer).setSecureContext({ ...tlsVersions, cert: fresh.cert, key: fresh.key });
      certificate = fresh;
    },

    certificateValidUntil: () => certificate?.validUntil,
  };
}

/** A name or an address, and an optional port (RFC 3986 §3.2.2). */
const hostForm = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/iu;

/**
 * RFC 9112 §3.2: exactly one Host. With two, a proxy may have checked the other one; Node would
 * silently use the first.
 */
function hasGoodHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  const { host = "" } = headers;
  if (hosts !== 1) return hosts === 0 && httpVersion === "1.0";
  return hostForm.test(host) && (host === "" || URL.canParse(`http://${host}`));
}

/** RFC 9112 §6.1: HTTP/1.0 has no Transfer-Encoding, so a proxy may have read another length. */
function framingProblem({ headers, httpVersion }: IncomingMessage): string | undefined {
  const isFaulty = httpVersion === "1.0" && headers["transfer-encoding"] !== undefined;
  return isFaulty ? "Transfer-Encoding: not allowed in HTTP/1.0" : undefined;
}

/** The newest request on a connection, and the answer to the previous one. */
type NewestRequests = WeakMap<
  Duplex,
  { message: IncomingMessage; response: ServerResponse; before: ServerResponse | undefined }
>;

function recordNewest(newest: NewestRequests, message: IncomingMessage, response: ServerResponse): void {
  const existing = newest.get(message.socket);
  if (existing) {
    existing.before = existing.response;
    existing.message = message;
    existing.response = response;
  } else {
    newest.set(message.socket, { message, response, before: undefined });
  }
}

/**
 * Answers must leave in the order of their requests (RFC 9112 §9.3.2): an early one would be taken
 * for the answer to a previous request.
 */
function afterAnswersTo(newest: ReturnType<NewestRequests["get"]>, act: () => void): void {
  // The unreadable bytes may be the rest of the newest request, which then gets no answer of its
  // own.
  const last = newest?.message.complete === false ? newest.before : newest?.response;
  if (!last || last.writableFinished || last.destroyed) act();
  else last.once("close", act);
}

/**
 * Answers what is not HTTP with the contract's error object, if the socket can still be written.
 */
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

/**
 * The contract's error object for a request that reached no route. The connection is closed
 * afterwards.
 */
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
