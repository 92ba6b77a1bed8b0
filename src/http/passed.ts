/** Requests and answers as data, between the threads of a process. */
import { EventEmitter } from "node:events";
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { AppError, type ErrorCode } from "../lib/errors.ts";
import { HttpRequest, maxBodyBytes } from "./request.ts";
import type { Route } from "./route.ts";
import type { Answered } from "./router.ts";

/** `peer`: the address of the socket's other end. `body`: as Latin 1, which is cloned fastest. */
export type Passed = Pick<IncomingMessage, "method" | "url" | "headers"> & {
  peer: string | undefined;
  body: string;
  /** Only of the listener for reverse proxies, whose answers depend on repeated headers. */
  rawHeaders?: string[];
};

/** A response of a thread, to be recorded. `route`: an index into the routes that only read. */
export type PassedAnswered = Pick<Answered, "status" | "milliseconds" | "caller"> & {
  call: Passed;
  id: string;
  ipAddress: string;
  route: number | undefined;
  error: { code: ErrorCode; cause: string | undefined } | undefined;
};

export function passedOf({ method, url, headers, socket }: IncomingMessage, body: string): Passed {
  return { method, url, headers, peer: socket.remoteAddress, body };
}

/**
 * The body of a request; if it is too large, enough of it to be refused. Undefined if its client
 * hung up before the end.
 */
export async function bodyOf(message: IncomingMessage, maxBytes = maxBodyBytes): Promise<string | undefined> {
  // It hung up while it waited for its turn: no event would come any more.
  if (message.destroyed && !message.readableEnded) return undefined;
  const { "content-length": length, "transfer-encoding": encoding } = message.headers;
  const announced = Number(length ?? 0);
  if ((announced === 0 && encoding === undefined) || announced > maxBytes) return "";
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let body = "";
  message.on("data", (chunk: Buffer) => {
    // The rest is read and dropped: it would block the next request on this connection.
    if (body.length <= maxBytes) body += chunk.toString("latin1");
    if (body.length > maxBytes) resolve(body);
  });
  message.once("end", () => resolve(body));
  message.once("error", () => resolve(undefined));
  message.once("close", () => resolve(undefined));
  return await promise;
}

/** The request as the router and handlers read it. `hangUp`: its client is gone. */
export function messageOf({ method, url, headers, rawHeaders = [], peer, body }: Passed): {
  message: IncomingMessage;
  hangUp(): void;
} {
  const socket = Object.assign(new EventEmitter(), { remoteAddress: peer, destroyed: false });
  const message = new IncomingMessage(socket as unknown as Socket);
  Object.assign(message, { method, url, headers, rawHeaders, complete: true });
  if (body !== "") message.push(body, "latin1");
  message.push(null);
  return {
    message,
    hangUp() {
      socket.destroyed = true;
      socket.emit("close");
    },
  };
}

export function passedAnswered(answered: Answered, routes: readonly Route[]): PassedAnswered {
  const { request, route, status, error, milliseconds, caller } = answered;
  const cause = typeof error?.cause === "string" ? error.cause : undefined;
  return {
    call: passedOf(request.message, ""),
    id: request.id,
    ipAddress: request.ipAddress,
    route: route && routes.indexOf(route),
    status,
    error: error && { code: error.code, cause },
    milliseconds,
    caller,
  };
}

/** The counterpart of `passedAnswered`. */
export function answeredOf(passed: PassedAnswered, routes: readonly Route[]): Answered {
  const { call, id, ipAddress, route, status, error, milliseconds, caller } = passed;
  return {
    request: new HttpRequest(id, messageOf(call).message, ipAddress),
    route: route === undefined ? undefined : routes[route],
    status,
    error: error && new AppError(error.code, "", { cause: error.cause }),
    milliseconds,
    caller,
  };
}
