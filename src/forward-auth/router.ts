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
import { decide, type Decision } from "./decision.ts";
import { headersOf } from "./headers.ts";
import * as logins from "./logins.ts";
import type { ProtectedHost, Refusal } from "./logins.ts";
import type { OwnHandler } from "./own-paths.ts";

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
      return closed(ctx, door, "a reverse proxy asked with a header that cannot be used", asked, now);
    }
    const decision = await decide(ctx, asked, rawHeaders, now);
    const isIn = decision.kind === "in" || decision.kind === "public";
    const login = decision.kind === "in" ? decision.login : undefined;
    const isUse = login && isUseOf(asked, rawHeaders) && logins.usesAreDue(login, now);
    if ("pass" in given && (isUse || !isIn)) return await given.pass(message, "no-body");
    if (isUse) logins.noteUse(ctx, login, now);
    if (!isIn) return notIn(ctx, asked, decision, rawHeaders, now);
    const person = decision.kind === "in" ? decision.person : undefined;
    const headers = await headersOf(ctx, decision.host, person, { rawHeaders, takesCookie }, now);
    if ("lines" in headers)
      return { ...plain(200), lines: ["Cache-Control", "no-store", ...headers.lines, "Content-Length", "0"] };
    if ("pass" in given) return await given.pass(message, "no-body");
    return refused(ctx, asked, { why: "identity", missing: headers.missing });
  }

  async function page(message: IncomingMessage, path: string): Promise<Outgoing> {
    const { host: value = "" } = message.headers;
    const host = hostFrom(value);
    const now = ctx.clock();
    if ("pass" in given) return await given.pass(message, "body");
    const method = message.method === "HEAD" ? "GET" : message.method;
    const handler = given.own.get(`${method} ${path}`);
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
      const said = { peer, setting: "trustedProxies" };
      tell(ctx, "a program that is not in trustedProxies asked at forwardAuth.listen", said, ctx.clock());
      return plain(403);
    }
    // As bytes, before anything decodes or normalises (docs/spec/protecting.md, 1).
    const url = message.url ?? "";
    const door = doors.get(url) ?? (url === "/forward-auth?cookie=1" ? "proxy" : undefined);
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

type NotIn = Exclude<Decision, { kind: "in" | "public" }>;

function notIn(ctx: Context, asked: Asked, decision: NotIn, rawHeaders: readonly string[], now: number): Outgoing {
  const { door, host } = asked;
  if (decision.kind === "unknown")
    return closed(ctx, door, "a reverse proxy asked about a host that no client protects", decision, now);
  if (decision.kind === "forged") {
    const { header, value } = decision;
    const said = { door, host, header: clip(header), value: clip(value) };
    tell(ctx, "a check had a header that only its answer may set: the proxy must remove it first", said, now);
    return plain(403);
  }
  if (decision.kind === "out") return notSignedIn(asked, decision.host, rawHeaders);
  return refused(ctx, asked, { why: decision.refusal });
}

/** Marked, so that a page or a service worker can tell it from the program's own 401. */
function notSignedIn({ host }: Asked, { proxy }: ProtectedHost, rawHeaders: readonly string[]): Outgoing {
  const address = `https://${host}/.authsvc/start`;
  const lines = ["Authsvc-Sign-In", address];
  if (proxy.basicChallenge && isNoBrowser(rawHeaders)) lines.push("WWW-Authenticate", `Basic realm="${host}"`);
  else lines.push("WWW-Authenticate", `Bearer realm="${host}"`);
  const body = { error: { code: "SIGN_IN_REQUIRED", message: "Sign in to use this program.", signIn: address } };
  return withJson(401, body, lines);
}

function isNoBrowser(rawHeaders: readonly string[]): boolean {
  if (["sec-fetch-mode", "origin"].some((name) => headerIn(rawHeaders, name) !== undefined)) return false;
  return headerIn(rawHeaders, "accept")?.toLowerCase().includes("text/html") !== true;
}

const refusals: Record<Refusal, { code: string; message: string }> = {
  groups: { code: "NOT_ALLOWED", message: "This account may not use this program." },
  "second-factor": { code: "SECOND_FACTOR_REQUIRED", message: "This program needs a second factor." },
  identity: { code: "IDENTITY_MISSING", message: "This account lacks what the program knows people by" },
};

/** Signed in, and not allowed. `missing`: the source of the identity. */
function refused(_ctx: Context, _asked: Asked, { why, missing }: { why: Refusal; missing?: string }): Outgoing {
  const { code, message } = refusals[why];
  const lacks = missing === "email" ? "a proved email address" : missing;
  return withJson(403, { error: { code, message: missing === undefined ? message : `${message}: ${lacks}.` } });
}

function withJson(status: number, value: unknown, lines: string[] = []): Outgoing {
  const body = `${JSON.stringify(value)}\n`;
  const length = String(Buffer.byteLength(body));
  const usual = ["Cache-Control", "no-store", "Content-Type", "application/json; charset=utf-8"];
  const own = [...usual, "Content-Length", length, "X-Content-Type-Options", "nosniff"];
  return { status, reason: STATUS_CODES[status], lines: [...own, ...lines], body };
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
