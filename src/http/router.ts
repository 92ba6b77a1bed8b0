import { STATUS_CODES, type IncomingMessage } from "node:http";
import { H3, H3Event } from "h3";
import { NodeRequest } from "srvx/node";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import type { RateLimiter, LimitResult, EndpointType, RateLimits } from "../lib/rate-limits.ts";
import { withoutBlanks } from "../lib/text.ts";
import type { Context } from "../runtime/context.ts";
import { addressKey, limitKey, limitOfUnknownPath, type ClientAddresses } from "./addresses.ts";
import type { Answer } from "./answer.ts";
import type { Cors } from "./cors.ts";
import { errorAnswer, oauthErrorAnswer, publicError, statusOf } from "./error-answers.ts";
import type { Outgoing, Router } from "./node-handler.ts";
import { createPageTurns } from "./page-turns.ts";
import { HttpRequest, type BodyKind } from "./request.ts";
import type { Caller, ErrorForm, Route } from "./route.ts";

/** The result of a call. `route` is undefined if no route matched, `error` if there was none. */
export type Answered = {
  request: HttpRequest;
  route: Route | undefined;
  status: number;
  error: AppError | undefined;
  milliseconds: number;
  /** The rate limit key: `app:…`, `client:APP:…`, `user:…`; undefined if counted by address. */
  caller: string | undefined;
};

export type RouterOptions = {
  routes: Route[];
  addresses: ClientAddresses;
  limiter: RateLimiter;
  limits: Record<EndpointType, number>;
  /** Undefined: no page of another origin reads an answer. */
  cors?: Cors;
  /** Whether calls must use HTTPS: the base URL is https, and a proxy terminates TLS. */
  behindTlsProxy: boolean;
  strictTransportSecurity: boolean;
  /** The error page for people. `isHosted`: the route is a hosted page. */
  errorPage(error: AppError, request: HttpRequest, isHosted: boolean): Answer;
  /** Called for every answer before it is sent (log, metrics, audit). Must not throw or block. */
  onAnswered(answered: Answered): void;
  /** Whether the log has already reported this cause for all affected calls: a full disk, say. */
  isKnownCause(error: unknown): boolean;
  /** Whether answers may be streams: they cannot be passed between threads. */
  streams?: boolean;
  /** Answers requests without a route. Undefined: they are refused. */
  otherwise?: Router;
  random: Random;
  log: Log;
  ctx: Context;
};

/**
 * Applies routes, limits and error answers to all of `routes.ts`. The only user of h3, and the only
 * place where an error becomes an answer.
 */
export function createRouter(options: RouterOptions): Router {
  const { cors, addresses, limiter, limits, log, otherwise } = options;
  const routes = otherwise ? options.routes : [...options.routes, ...(cors?.preflights(options.routes) ?? [])];
  const everyAnswers = [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ...(options.strictTransportSecurity ? [["strict-transport-security", "max-age=63072000; includeSubDomains"]] : []),
  ].flat();
  const app = new H3();

  for (const route of routes) {
    app.on(route.method, route.path, (event) => serveFound(route, event));
    if (route.method === "GET") app.on("HEAD", route.path, (event) => serveFound(route, event));
  }
  for (const [path, allowed] of methodsByPath(routes)) {
    const isOAuth = routes.some((route) => route.path === path && route.errors === "oauth");
    if (!otherwise)
      app.all(path, (event) =>
        hasSlashBehind(event, path)
          ? fail(event, unknownPath())
          : fail(event, new AppError("METHOD_NOT_ALLOWED", "This path does not support this method."), {
              headers: { allow: allowed.join(", ") },
              form: isOAuth ? "oauth" : undefined,
            }),
      );
  }
  app.all("/**", (event) => (otherwise ? otherwise(messageOf(event)) : fail(event, unknownPath())));
  const pageTurn = createPageTurns();

  // Not `app.fetch`, which makes a web Response of each answer (docs/decisions/0021).
  return (message) => {
    const event = new H3Event(new NodeRequest({ req: message }));
    if (!isNormal(message.url ?? "")) return fail(event, unknownPath());
    // A route matches one path, "/**" any path without another route.
    return isDecodable(event.url.pathname) ? (app.handler(event) as Promise<Outgoing>) : fail(event, badPath());
  };

  function messageOf(event: H3Event): IncomingMessage {
    return event.req.runtime?.node?.req as IncomingMessage;
  }

  function requestOf(
    message: IncomingMessage,
    parameters: Record<string, string> | undefined,
    takes?: BodyKind,
  ): HttpRequest {
    return new HttpRequest(newRequestId(options.random), message, addresses.of(message), { parameters, takes });
  }

  function serveFound(route: Route, event: H3Event): Promise<Outgoing> {
    return hasSlashBehind(event, route.path)
      ? fail(event, unknownPath())
      : serve(route, messageOf(event), event.context.params);
  }

  async function serve(
    route: Route,
    message: IncomingMessage,
    parameters: Record<string, string> | undefined,
  ): Promise<Outgoing> {
    const startedAt = performance.now();
    const request = requestOf(message, parameters, route.takes);
    let limitResult: LimitResult | undefined;
    let answer: Answer;
    let shown: AppError | undefined;
    let caller: string | undefined;
    try {
      refusePlainHttp(request);
      if (route.errors === "page") await pageTurn();
      const admitted = await admit(route, request);
      caller = admitted.countedAs;
      limitResult = await (admitted.countedAs
        ? count(route.limit, admitted.countedAs, admitted.limits)
        : countAddress(route.limit, request));
      refuseExceeded(limitResult);
      if (admitted.refusal) throw admitted.refusal;
      answer = await route.answer(options.ctx, request, admitted.caller);
      shown = answer.error;
    } catch (error) {
      if (error instanceof Refusal) limitResult = error.limitResult;
      shown = reported(error instanceof Refusal ? error.cause : error, request, route);
      answer = refusalOf(shown, request, route.errors);
    }
    const milliseconds = performance.now() - startedAt;
    options.onAnswered({ request, route, status: answer.status, error: shown, milliseconds, caller });
    const shared = route.browser && (await cors?.headersFor(route.browser, request));
    return respond(request, answer, limitResult, shared);
  }

  /** Callers without valid credentials are counted by address, which limits guessing. */
  async function admit(route: Route, request: HttpRequest): Promise<Caller<unknown>> {
    try {
      return await route.guard.admit(options.ctx, request);
    } catch (error) {
      const failed = error instanceof AppError && statusOf(error) !== 500;
      const limitResult = failed ? await countAddress(route.limit, request) : undefined;
      throw new Refusal(limitResult, limitResult?.exceeded ? rateLimited(limitResult) : error);
    }
  }

  function count(type: EndpointType | undefined, caller: string, own: RateLimits = {}) {
    return type && limiter.count(limitKey(type, caller), own[type] ?? limits[type], "known");
  }

  function countAddress(type: EndpointType | undefined, { ipAddress }: HttpRequest) {
    return type && limiter.count(limitKey(type, addressKey(ipAddress)), limits[type], "stranger");
  }

  function refusePlainHttp(request: HttpRequest): void {
    if (!options.behindTlsProxy) return;
    // Each proxy may have added a value. All of them must be https.
    const header = request.header("x-forwarded-proto");
    const isTrusted = addresses.isTrustedProxy(request.peer);
    const areHttps = header?.split(",").every((scheme) => withoutBlanks(scheme).toLowerCase() === "https") ?? true;
    if ((isTrusted && areHttps) || request.isHealthCheck) return;
    const read = isTrusted
      ? ` The proxy says X-Forwarded-Proto: ${JSON.stringify(header?.slice(0, 100))}, of which every part must be https.`
      : " X-Forwarded-Proto is read only from the proxies in trustedProxies.";
    throw new AppError("INVALID_REQUEST", `Calls must use HTTPS.${header === undefined ? "" : read}`, {
      details: "scheme: https",
    });
  }

  /** A page for hosted routes and browsers; a JSON object for programs. */
  function refusalOf(error: AppError, request: HttpRequest, form: ErrorForm | undefined): Answer {
    if (form === "oauth") return oauthErrorAnswer(error);
    const answer = errorAnswer(error, request.id);
    const isHosted = form === "page";
    if (!isHosted && !request.isNavigation) return answer;
    try {
      const page = options.errorPage(error, request, isHosted);
      return { ...page, status: answer.status, headers: { ...answer.headers, ...page.headers } };
    } catch (pageError) {
      return errorAnswer(reported(pageError, request), request.id);
    }
  }

  function reported(error: unknown, request: HttpRequest, route?: Route): AppError {
    const shown = publicError(error);
    if (shown !== error && !options.isKnownCause(error))
      log.error("request failed", error, { ...request.logFields, method: request.method, route: route?.path });
    return shown;
  }

  /** Unknown paths are counted under their limit, so that nobody can search for paths freely. */
  async function fail(
    event: H3Event,
    error: unknown,
    { headers, form }: { headers?: Record<string, string>; form?: ErrorForm | undefined } = {},
  ): Promise<Outgoing> {
    const request = requestOf(messageOf(event), event.context.params);
    let limitResult: LimitResult | undefined;
    let shown: AppError;
    try {
      limitResult = await countAddress(limitOfUnknownPath(event.url.pathname), request);
      shown = reported(limitResult?.exceeded ? rateLimited(limitResult) : error, request);
    } catch (countingError) {
      shown = reported(countingError, request);
    }
    const answer = refusalOf(shown, request, form);
    options.onAnswered({
      request,
      route: undefined,
      status: answer.status,
      error: shown,
      milliseconds: 0,
      caller: undefined,
    });
    return respond(request, answer, limitResult, shown === error ? headers : undefined);
  }

  function respond(
    request: HttpRequest,
    answer: Answer,
    limitResult: LimitResult | undefined,
    more: Record<string, string> | undefined,
  ): Outgoing {
    const { status, body, headers, cookies, stream } = answer;
    if (stream && options.streams !== true) throw new Error("this listener sends no streams");
    const lines = ["x-request-id", request.id, ...everyAnswers];
    if (headers[resourcePolicy] === undefined) lines.push(resourcePolicy, "same-origin");
    // RFC 9110 §8.6, §15.4.5: no body, so no Content-Length.
    if (status !== 204 && status !== 304 && !stream) lines.push("content-length", String(Buffer.byteLength(body)));
    if (status === 401 && headers["www-authenticate"] === undefined)
      lines.push("www-authenticate", challengeTo(request));
    if (limitResult) {
      lines.push("x-ratelimit-limit", String(limitResult.limit));
      lines.push("x-ratelimit-remaining", String(limitResult.remaining));
      lines.push("x-ratelimit-reset", String(limitResult.resetAt));
    }
    for (const [name, value] of Object.entries(headers)) lines.push(name, value);
    if (more) for (const [name, value] of Object.entries(more)) lines.push(name, value);
    if (cookies) for (const cookie of cookies) lines.push("set-cookie", cookie);
    // RFC 9110 §9.3.2: HEAD gets the headers of GET, its length included, and no body.
    return { status, reason: STATUS_CODES[status], lines, body: request.method === "HEAD" ? "" : body, stream };
  }
}

const resourcePolicy = "cross-origin-resource-policy";

/** 128 random bits: two ids do not reveal the number of calls in between. */
function newRequestId(random: Random): string {
  return `req_${Buffer.from(random(16)).toString("hex")}`;
}

/** RFC 6750 §3.1: without a credential, the challenge has no error. */
function challengeTo(request: HttpRequest): string {
  const hasCredential = request.header("authorization") !== undefined || /[?&]token=/u.test(request.path);
  return `Bearer realm="authsvc"${hasCredential ? ', error="invalid_token"' : ""}`;
}

/**
 * Parts of a path that a proxy may rewrite: empty and dot segments, backslashes, encoded slashes.
 */
const replaced = /\/\/|\\|%2f|%5c|\/(?:\.|%2e){1,2}(?:\/|$)/iu;

/**
 * Whether no proxy would rewrite a path. Otherwise it could bypass a proxy's rules for the other
 * one.
 */
function isNormal(url: string): boolean {
  const [address = ""] = url.split(/[?#]/u, 1);
  return !replaced.test(address.replace(/^https?:\/\/[^/]*/iu, ""));
}

function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

/** With a trailing slash it is another path, but h3 treats both the same. */
function hasSlashBehind({ url }: H3Event, path: string): boolean {
  return url.pathname.endsWith("/") && !path.endsWith("/") && !path.endsWith("*");
}

/** An error that was already counted for its caller. */
class Refusal extends Error {
  readonly limitResult: LimitResult | undefined;
  constructor(limitResult: LimitResult | undefined, cause: unknown) {
    super("refused", { cause });
    this.limitResult = limitResult;
  }
}

function refuseExceeded(limitResult: LimitResult | undefined): void {
  if (limitResult?.exceeded) throw new Refusal(limitResult, rateLimited(limitResult));
}

function rateLimited({ retryAfterSeconds }: LimitResult): AppError {
  return new AppError("RATE_LIMITED", "Too many requests.", {
    retryAfterSeconds,
    details: `retry after ${retryAfterSeconds} seconds`,
  });
}

function unknownPath(): AppError {
  return new AppError("UNKNOWN_PATH", "This path does not exist.");
}

function badPath(): AppError {
  return new AppError("INVALID_REQUEST", "The request is not valid.", { details: "path: malformed percent-encoding" });
}

function methodsByPath(routes: Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const methodsThere = methods.get(path) ?? [];
    methods.set(path, method === "GET" ? [...methodsThere, "GET", "HEAD"] : [...methodsThere, method]);
  }
  return methods;
}
