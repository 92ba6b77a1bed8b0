import { H3, type H3Event } from "h3";
import { STATUS_CODES, type IncomingMessage } from "node:http";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { RateLimiter } from "../rate-limits/limiter.ts";
import type { Standing } from "../rate-limits/standing.ts";
import { addressKey, limitKey, limitOfPath, type ClientAddresses } from "./addresses.ts";
import type { Answer } from "./answer.ts";
import type { Cors } from "./cors.ts";
import { errorAnswer, publicError, statusOf } from "./error-answers.ts";
import { responseOf, type Outgoing, type Router } from "./node-handler.ts";
import { createPageTurns } from "./page-turns.ts";
import { createRequestIds } from "./request-ids.ts";
import { HttpRequest } from "./request.ts";
import type { Caller, EndpointType, RateLimits, Route } from "./route.ts";

/** What became of one call. `route` is undefined where no route of `routes.ts` answered, `error` where there was none. */
export type Answered = {
  request: HttpRequest;
  route: Route | undefined;
  status: number;
  error: AppError | undefined;
  milliseconds: number;
  /** Who called, as it is counted: `app:…`, `user:…`; undefined for whoever is counted by address. */
  caller: string | undefined;
};

export type RouterOptions = {
  routes: Route[];
  addresses: ClientAddresses;
  limiter: RateLimiter;
  limits: Record<EndpointType, number>;
  cors: Cors;
  /** Whether calls must come over HTTPS: the base URL is https and a proxy, not this process, holds the certificate. */
  behindTlsProxy: boolean;
  strictTransportSecurity: boolean;
  /** Shows an error of a hosted page's route to a person. */
  errorPage(error: AppError, request: HttpRequest): Answer;
  /** Is told of every answer, before it goes out: logging, metrics, the audit of refusals. Must not throw, and must not wait. */
  onAnswered(answered: Answered): void;
  log: Log;
};

/** Routes, limits and answers for all of `routes.ts`: the only user of h3, and the only place where an error becomes an answer. */
export function createRouter(options: RouterOptions): Router {
  const { cors, addresses, limiter, limits, log } = options;
  const routes = [...options.routes, ...cors.preflights(options.routes)];
  const newRequestId = createRequestIds();
  const everyAnswers = [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-resource-policy", "same-origin"],
    ...(options.strictTransportSecurity ? [["strict-transport-security", "max-age=63072000; includeSubDomains"]] : []),
  ].flat();
  const app = new H3({
    silent: true,
    // What h3 refuses by itself is a malformed escape in the path; anything else that gets here is a mistake of ours.
    onError: (error, event) => fail(event, error.unhandled ? error.cause : badPath()),
  });

  for (const route of routes) {
    app.on(route.method, route.path, (event) => serveFound(route, event));
    if (route.method === "GET") app.on("HEAD", route.path, (event) => serveFound(route, event));
  }
  for (const [path, allowed] of methodsByPath(routes)) {
    app.all(path, (event) =>
      fail(event, new AppError("METHOD_NOT_ALLOWED", "This path has other methods."), { allow: allowed.join(", ") }),
    );
  }
  app.all("/**", (event) => fail(event, new AppError("UNKNOWN_PATH", "There is nothing at this path.")));
  const exact = routesByExactPath(routes);
  const pageTurn = createPageTurns();
  return {
    app,
    answerExact(message) {
      const route = exact.get(message.url ?? "")?.get(message.method ?? "");
      return route && serve(route, message, undefined);
    },
  };

  function messageOf(event: H3Event): IncomingMessage {
    return event.req.runtime?.node?.req as IncomingMessage;
  }

  function requestOf(message: IncomingMessage, parameters: Record<string, string> | undefined): HttpRequest {
    return new HttpRequest(newRequestId(), message, addresses.of(message), parameters);
  }

  async function serveFound(route: Route, event: H3Event): Promise<Response> {
    return responseOf(await serve(route, messageOf(event), event.context.params), event.req.method);
  }

  async function serve(
    route: Route,
    message: IncomingMessage,
    parameters: Record<string, string> | undefined,
  ): Promise<Outgoing> {
    const startedAt = performance.now();
    const request = requestOf(message, parameters);
    let standing: Standing | undefined;
    let answer: Answer;
    let shown: AppError | undefined;
    let caller: string | undefined;
    try {
      refusePlainHttp(request);
      const othersFirst = route.page ? pageTurn() : undefined;
      if (othersFirst) await othersFirst;
      const admitted = await admit(route, request);
      caller = admitted.countedAs;
      const counted = admitted.countedAs
        ? count(route.limit, admitted.countedAs, admitted.limits)
        : countAddress(route.limit, request);
      // Not waited for where it is known at once.
      standing = counted instanceof Promise ? await counted : counted;
      refuseExceeded(standing);
      if (admitted.refusal) throw admitted.refusal;
      const answered = route.answer(request, admitted.caller);
      answer = answered instanceof Promise ? await answered : answered;
      shown = answer.error;
    } catch (error) {
      if (error instanceof Refusal) standing = error.standing;
      shown = reported(error instanceof Refusal ? error.cause : error, request, route);
      answer = route.page ? pageFor(shown, request, route) : errorAnswer(shown, request.id);
    }
    const milliseconds = performance.now() - startedAt;
    options.onAnswered({ request, route, status: answer.status, error: shown, milliseconds, caller });
    const shared = route.browser && cors.headersFor(route.browser, request);
    return respond(request, answer, standing, shared instanceof Promise ? await shared : shared);
  }

  /** A caller without good credentials is counted by its address, so that nobody can try keys and tokens at will. */
  async function admit(route: Route, request: HttpRequest): Promise<Caller<unknown>> {
    try {
      return await route.admit(request);
    } catch (error) {
      const failed = error instanceof AppError && statusOf(error) !== 500;
      const standing = failed ? await countAddress(route.limit, request) : undefined;
      throw new Refusal(standing, standing?.exceeded ? rateLimited(standing) : error);
    }
  }

  function count(type: EndpointType | undefined, caller: string, own: RateLimits = {}) {
    return type && limiter.take(limitKey(type, caller), own[type] ?? limits[type], "known");
  }

  function countAddress(type: EndpointType | undefined, { ipAddress }: HttpRequest) {
    return type && limiter.take(limitKey(type, addressKey(ipAddress)), limits[type], "stranger");
  }

  function refusePlainHttp(request: HttpRequest): void {
    if (!options.behindTlsProxy) return;
    // Each proxy on the way may have added its word; one that did not come over TLS is one too many.
    const schemes = request.header("x-forwarded-proto")?.split(",") ?? [];
    const overTls =
      addresses.isTrustedProxy(request.peer) && schemes.every((scheme) => scheme.trim().toLowerCase() === "https");
    if (!overTls && !request.isHealthCheck)
      throw new AppError("INVALID_REQUEST", "Calls must use HTTPS.", { details: "scheme: https" });
  }

  function pageFor(error: AppError, request: HttpRequest, route: Route): Answer {
    try {
      return options.errorPage(error, request);
    } catch (pageError) {
      return errorAnswer(reported(pageError, request, route), request.id);
    }
  }

  function reported(error: unknown, request: HttpRequest, route: Route | undefined): AppError {
    const shown = publicError(error);
    if (shown !== error)
      log.error("request failed", error, { ...request.logFields, method: request.method, route: route?.path });
    return shown;
  }

  /** What no route answers is counted as what its path would be, so that nobody searches the paths at will. */
  async function fail(event: H3Event, error: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const request = requestOf(messageOf(event), event.context.params);
    let standing: Standing | undefined;
    let shown: AppError;
    try {
      standing = await countAddress(limitOfPath(request.path), request);
      shown = reported(standing?.exceeded ? rateLimited(standing) : error, request, undefined);
    } catch (countingError) {
      shown = reported(countingError, request, undefined);
    }
    const answer = errorAnswer(shown, request.id);
    options.onAnswered({
      request,
      route: undefined,
      status: answer.status,
      error: shown,
      milliseconds: 0,
      caller: undefined,
    });
    return responseOf(respond(request, answer, standing, shown === error ? headers : undefined), event.req.method);
  }

  function respond(
    request: HttpRequest,
    answer: Answer,
    standing: Standing | undefined,
    more: Record<string, string> | undefined,
  ): Outgoing {
    const { status, body, headers, cookies } = answer;
    const lines = ["content-length", String(Buffer.byteLength(body)), "x-request-id", request.id, ...everyAnswers];
    if (standing) {
      lines.push("x-ratelimit-limit", String(standing.limit));
      lines.push("x-ratelimit-remaining", String(standing.remaining));
      lines.push("x-ratelimit-reset", String(standing.resetAt));
    }
    for (const [name, value] of Object.entries(headers)) lines.push(name, value);
    if (more) for (const [name, value] of Object.entries(more)) lines.push(name, value);
    if (cookies) for (const cookie of cookies) lines.push("set-cookie", cookie);
    return { status, reason: STATUS_CODES[status], lines, body };
  }
}

/** Where the address asked for is a route's path to the letter, there is nothing to find out: no parameter, no query, no escape. */
function routesByExactPath(routes: Route[]): Map<string, Map<string, Route>> {
  const exact = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    if (/[:*]/u.test(route.path)) continue;
    const methods = exact.get(route.path) ?? new Map<string, Route>();
    exact.set(route.path, methods.set(route.method, route));
  }
  return exact;
}

/** An error that was already counted against its caller. */
class Refusal extends Error {
  readonly standing: Standing | undefined;
  constructor(standing: Standing | undefined, cause: unknown) {
    super("refused", { cause });
    this.standing = standing;
  }
}

function refuseExceeded(standing: Standing | undefined): void {
  if (standing?.exceeded) throw new Refusal(standing, rateLimited(standing));
}

function rateLimited({ retryAfterSeconds }: Standing): AppError {
  return new AppError("RATE_LIMITED", "Too many requests.", {
    retryAfterSeconds,
    details: `retry after ${retryAfterSeconds} seconds`,
  });
}

function badPath(): AppError {
  return new AppError("INVALID_REQUEST", "The request is not valid.", { details: "path: malformed percent-encoding" });
}

function methodsByPath(routes: Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? [];
    methods.set(path, method === "GET" ? [...known, "GET", "HEAD"] : [...known, method]);
  }
  return methods;
}
