/** The listener for reverse proxies: the two doors, and the pages of protected hosts. */
import { STATUS_CODES, type IncomingMessage } from "node:http";
import { stopping } from "../api/service.ts";
import { createClientAddresses } from "../http/addresses.ts";
import type { Answer } from "../http/answer.ts";
import { parseCookies } from "../http/cookies.ts";
import { errorAnswer, publicError } from "../http/error-answers.ts";
import type { Outgoing, Router } from "../http/node-handler.ts";
import { HttpRequest } from "../http/request.ts";
import { minute } from "../lib/clock.ts";
import { hostFrom } from "../applications/clients/proxy.ts";
import { part, type Context } from "../runtime/context.ts";
import { doors, headerIn, readAsked, type Asked, type Door, type Malformed } from "./asked.ts";
import { loginCookie } from "./cookies.ts";
import { reachedByHttp, turnedAway, type TurnedAway } from "./door-answers.ts";
import { decide, type Decision } from "./decision.ts";
import { headersOf } from "./headers.ts";
import * as logins from "./logins.ts";
import { assetFolder, type OwnHandler } from "./own-call.ts";

/**
 * `own`: the pages of protected hosts. `pass`: in a thread that only reads, the main thread answers
 * them, and every check that is not simply let in.
 */
export type Given =
  | { own: ReadonlyMap<string, OwnHandler> }
  | { pass(message: IncomingMessage, takes: "body" | "no-body"): Promise<Outgoing> };

const ownPrefix = "/.authsvc/";

/** When something was last logged, by what it was. */
const toldAt = part(() => new Map<string, number>());

/** Once a minute: anybody who can make a proxy ask could otherwise fill the log. */
function tell(ctx: Context, message: string, fields: Record<string, string>, now: number): void {
  const last = toldAt(ctx).get(message);
  if (last !== undefined && Math.abs(now - last) < minute) return;
  toldAt(ctx).set(message, now);
  ctx.log.warn(message, fields);
}

export function forwardAuthRouter(ctx: Context, given: Given): Router {
  const { isTrustedProxy, of: addressOf } = createClientAddresses(ctx.config.trustedProxies);

  async function check(door: Door, message: IncomingMessage, takesCookie: boolean): Promise<Outgoing> {
    const now = ctx.clock();
    const { rawHeaders } = message;
    const asked = readAsked(door, rawHeaders);
    if ("header" in asked) {
      if ("pass" in given) return await given.pass(message, "no-body");
      const answer = closed(ctx, door, "a reverse proxy asked with a header that cannot be used", asked, now);
      ctx.meter.forwardAuthCheck("malformed");
      const page = await reachedByHttp(ctx, asked, new HttpRequest(newId(ctx), message, addressOf(message)));
      return page ? outgoing(page, message) : answer;
    }
    const decision = await decide(ctx, asked, rawHeaders, now);
    const isIn = decision.kind === "in" || decision.kind === "public";
    const login = decision.kind === "in" ? decision.login : undefined;
    const isUse = login && isUseOf(asked, rawHeaders) && logins.usesAreDue(login, now);
    if ("pass" in given && (isUse || !isIn)) return await given.pass(message, "no-body");
    if (isUse && decision.kind === "in") logins.noteUse(ctx, { host: decision.host, login }, now);
    const away = async (why: TurnedAway): Promise<Outgoing> => {
      ctx.meter.forwardAuthCheck(why.kind === "out" ? "sign-in" : why.refusal);
      const request = new HttpRequest(newId(ctx), message, addressOf(message));
      return outgoing(await turnedAway(ctx, asked, why, request), message);
    };
    if (decision.kind === "out" || decision.kind === "refused") return await away(decision);
    if (!isIn) return closedFor(ctx, asked, decision, now);
    const person = decision.kind === "in" ? decision.person : undefined;
    const headers = await headersOf(ctx, decision.host, person, { rawHeaders, takesCookie }, now);
    if ("lines" in headers) {
      ctx.meter.forwardAuthCheck(decision.kind === "in" ? "allowed" : "public");
      return { ...plain(200), lines: ["Cache-Control", "no-store", ...headers.lines, "Content-Length", "0"] };
    }
    if ("pass" in given) return await given.pass(message, "no-body");
    return await away({ kind: "refused", host: decision.host, login, refusal: "identity", missing: headers.missing });
  }

  async function page(message: IncomingMessage, path: string): Promise<Outgoing> {
    const { host: value = "" } = message.headers;
    const host = hostFrom(value);
    const now = ctx.clock();
    if ("pass" in given) return await given.pass(message, "body");
    const method = message.method === "HEAD" ? "GET" : message.method;
    const handler = given.own.get(`${method} ${path.startsWith(assetFolder) ? assetFolder : path}`);
    if (!handler) return plain(404);
    const request = new HttpRequest(newId(ctx), message, addressOf(message));
    const cookie = host === undefined ? undefined : parseCookies(request.header("cookie") ?? "").get(loginCookie(host));
    const found = host === undefined ? undefined : await logins.at(ctx, host, cookie, now);
    if (!found) {
      tell(ctx, "a reverse proxy sent a request for a host that no client protects", { host: clip(value) }, now);
      return plain(400);
    }
    return outgoing(await handler(ctx, { ...found, request }), message);
  }

  async function answer(message: IncomingMessage): Promise<Outgoing> {
    const peer = message.socket.remoteAddress ?? "";
    if (!isTrustedProxy(peer)) {
      ctx.meter.forwardAuthCheck("untrusted-proxy");
      const said = { peer, setting: "trustedProxies" };
      tell(ctx, "a program that is not in trustedProxies asked at forwardAuth.listen", said, ctx.clock());
      return plain(403);
    }
    // As bytes, before anything decodes or normalises (docs/spec/protecting.md, 1).
    const url = message.url ?? "";
    const door = doorAt(url);
    if (!door && !url.startsWith(ownPrefix)) return plain(404);
    if (stopping(ctx).now) return plain(503);
    const [path = ""] = url.split("?", 1);
    return await (door ? check(door, message, url.endsWith("?cookie=1")) : page(message, path));
  }

  return async (message) => {
    let found: Outgoing;
    try {
      found = await answer(message);
    } catch (error) {
      if (doorAt(message.url ?? "")) ctx.meter.forwardAuthCheck("error");
      const shown = publicError(error);
      if (shown !== error && !ctx.writability.explains(error)) ctx.log.error("a check of a proxy failed", error);
      // nginx makes 500 of anything but 200, 401 and 403, which is closed as well.
      found = outgoing(errorAnswer(shown, newId(ctx)), message);
    }
    // A length without a body would make the next check a part of this one.
    const { "content-length": length = "0", "transfer-encoding": encoding } = message.headers;
    if ((length !== "0" || encoding !== undefined) && !message.complete) found.lines.push("connection", "close");
    return found;
  };
}

function doorAt(url: string): Door | undefined {
  return doors.get(url) ?? (url === "/forward-auth?cookie=1" ? "proxy" : undefined);
}

/** A tab that polls by GET keeps nobody signed in (docs/spec/protecting.md, 1). */
function isUseOf({ method }: Asked, rawHeaders: readonly string[]): boolean {
  const mode = headerIn(rawHeaders, "sec-fetch-mode");
  if (mode === undefined || mode === "navigate" || method === "POST") return true;
  return headerIn(rawHeaders, "sec-fetch-user") !== undefined;
}

/** nginx makes 500 of anything but 200, 401 and 403. */
function closed(ctx: Context, door: Door, message: string, { header, value }: Malformed, now: number): Outgoing {
  tell(ctx, message, { door, header: clip(header), value: clip(value) }, now);
  return plain(door === "nginx" ? 403 : 400);
}

type Closed = Extract<Decision, { kind: "unknown" | "forged" }>;

function closedFor(ctx: Context, { door, host }: Asked, decision: Closed, now: number): Outgoing {
  ctx.meter.forwardAuthCheck(decision.kind === "unknown" ? "unknown-host" : "forged");
  if (decision.kind === "unknown")
    return closed(ctx, door, "a reverse proxy asked about a host that no client protects", decision, now);
  const { header, value } = decision;
  const said = { door, host, header: clip(header), value: clip(value) };
  tell(ctx, "a check had a header that only its answer may set: the proxy must remove it first", said, now);
  return plain(403);
}

function plain(status: number): Outgoing {
  const body = status === 200 ? "" : `${STATUS_CODES[status]}\n`;
  const lines = ["cache-control", "no-store", "content-length", String(body.length)];
  if (body !== "") lines.push("content-type", "text/plain; charset=utf-8", "x-content-type-options", "nosniff");
  return { status, reason: STATUS_CODES[status], lines, body };
}

/** No `Strict-Transport-Security`: the host is not ours. */
function outgoing({ status, headers, cookies = [], body }: Answer, { method }: IncomingMessage): Outgoing {
  const lines = ["x-content-type-options", "nosniff", "content-length", String(Buffer.byteLength(body))];
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  if (headers["cache-control"] === undefined) lines.push("cache-control", "no-store");
  for (const cookie of cookies) lines.push("set-cookie", cookie);
  return { status, reason: STATUS_CODES[status], lines, body: method === "HEAD" ? "" : body };
}

function clip(text: string): string {
  return text.slice(0, 200);
}

function newId({ random }: Context): string {
  return `req_${Buffer.from(random(16)).toString("hex")}`;
}
