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
import { Reply } from "./node-handler.ts";
import { createRequestIds } from "./request-ids.ts";
import { HttpRequest } from "./request.ts";
import type { EndpointType, RateLimits, Route } from "./route.ts";

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
export function createRouter(options: RouterOptions): H3 {
  const { cors, addresses, limiter, limits, log } = options;
  const routes = [...options.routes, ...cors.preflights(options.routes)];
  const newRequestId = createRequestIds();
  const everyAnswers: [string, string][] = [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-resource-policy", "same-origin"],
  ];
  if (options.strictTransportSecurity)
    everyAnswers.push(["strict-transport-security", "max-age=63072000; includeSubDomains"]);
  const app = new H3({
    silent: true,
    // What h3 refuses by itself is a malformed escape in the path; anything else that gets here is a mistake of ours.
    onError: (error, event) => fail(event, error.unhandled ? error.cause : badPath()),
  });

  for (const route of routes) {
    app.on(route.method, route.path, (event) => serve(route, event));
    if (route.method === "GET") app.on("HEAD", route.path, (event) => serve(route, event));
  }
  for (const [path, allowed] of methodsByPath(routes)) {
    app.all(path, (event) =>
      fail(event, new AppError("METHOD_NOT_ALLOWED", "This path has other methods."), { allow: allowed.join(", ") }),
    );
  }
  app.all("/**", (event) => fail(event, new AppError("UNKNOWN_PATH", "There is nothing at this path.")));
  return app;

  function requestOf(event: H3Event): HttpRequest {
    const message = event.req.runtime?.node?.req as IncomingMessage;
    return new HttpRequest(newRequestId(), message, addresses.of(message), event.context.params);
  }

  async function serve(route: Route, event: H3Event): Promise<Response> {
    const startedAt = performance.now();
    const request = requestOf(event);
    let standing: Standing | undefined;
    let answer: Answer;
    let shown: AppError | undefined;
    let caller: string | undefined;
    try {
      refusePlainHttp(request);
      const admitted = await admit(route, request);
      caller = admitted.countedAs;
      const counted = admitted.countedAs
        ? count(route.limit, admitted.countedAs, admitted.limits)
        : countAddress(route.limit, request);
      // Not waited for where it is known at once.
      standing = counted instanceof Promise ? await counted : counted;
      refuseExceeded(standing);
      answer = await admitted.answer();
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
  async function admit(route: Route, request: HttpRequest) {
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
    const request = requestOf(event);
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
    return respond(request, answer, standing, shown === error ? headers : undefined);
  }

  function respond(
    request: HttpRequest,
    answer: Answer,
    standing: Standing | undefined,
    more: Record<string, string> | undefined,
  ): Response {
    const headers: [string, string][] = [["x-request-id", request.id], ...everyAnswers];
    if (standing) {
      headers.push(["x-ratelimit-limit", String(standing.limit)]);
      headers.push(["x-ratelimit-remaining", String(standing.remaining)]);
      headers.push(["x-ratelimit-reset", String(standing.resetAt)]);
    }
    headers.push(...Object.entries(answer.headers));
    if (more) headers.push(...Object.entries(more));
    for (const cookie of answer.cookies ?? []) headers.push(["set-cookie", cookie]);
    const { status, body } = answer;
    return new Reply({ status, reason: STATUS_CODES[status], headers, body });
  }
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
