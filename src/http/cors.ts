import { tokenCredential } from "./guards.ts";
import type { HttpRequest } from "./request.ts";
import { anyone, route, type BrowserUse, type Route } from "./route.ts";

const preflightSeconds = 600;
const exposedHeaders =
  "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, DPoP-Nonce, WWW-Authenticate";

const vary = { vary: "Origin" };

/** W3C Trace Context and Baggage: tracing in a page adds them to every call that it makes. */
const traceHeaders = ["traceparent", "tracestate", "baggage"];
/**
 * The headers that a page may send. No Authorization where it could only be an API key, which does
 * not belong in a browser.
 */
const allowedHeaders: Record<BrowserUse, string[]> = {
  "public-client": ["Content-Type", "X-Service-App-ID", ...traceHeaders],
  user: ["Authorization", "Content-Type", "X-Service-App-ID", "DPoP", ...traceHeaders],
  query: ["Authorization", "Content-Type", "X-Service-App-ID", "DPoP", ...traceHeaders],
  client: ["Authorization", "Content-Type", "DPoP", ...traceHeaders],
  everybody: ["Authorization", "Content-Type", "X-Service-App-ID", "DPoP", ...traceHeaders],
};
const everybody = { "access-control-allow-origin": "*" };

/** An application or client, whose pages have the origins of its redirect URIs. */
type Owner = { redirectUris: string[] };

export type Cors = ReturnType<typeof createCors>;

/**
 * Lets pages on an application's own origins (those of its redirect URIs) read the answers of
 * routes that `routes.ts` opens to browsers. Never with credentials: the call carries its
 * authentication itself, not in a cookie. `*` only for documents that are the same for everyone.
 */
export function createCors(check: {
  application(id: string): Promise<(Owner & { settings: { queryEndpoints: boolean } }) | undefined>;
  /** The OpenID Connect client that a call claims to be of, unverified. */
  client(request: HttpRequest): Promise<Owner | undefined>;
  /** The application that a token claims to be for, unverified. */
  appOfToken(token: string): string | undefined;
  origins: {
    isOf(owner: Owner, origin: string): boolean;
    isRegistered(origin: string): Promise<boolean>;
  };
}) {
  /**
   * The application or client that a call claims to be for. That suffices: a successful call's
   * guard has compared App ID and token, and an error reveals nothing that a stranger could not
   * get without a browser.
   */
  async function ownerOf(use: BrowserUse, request: HttpRequest): Promise<Owner | undefined> {
    if (use === "client") return await check.client(request);
    if (use === "query") {
      const application = await check.application(appIdInQuery(request) ?? "");
      return application?.settings.queryEndpoints ? application : undefined;
    }
    if (use === "public-client" && request.header("authorization") !== undefined) return undefined;
    const named = request.header("x-service-app-id") ?? check.appOfToken(tokenCredential(request).token ?? "");
    return await check.application(named ?? "");
  }

  function appIdInQuery(request: HttpRequest): string | undefined {
    const query = request.query();
    return query.get("app_id") ?? check.appOfToken(query.get("token") ?? tokenCredential(request).token ?? "");
  }

  async function sharingWith(origin: string, use: BrowserUse, request: HttpRequest): Promise<Record<string, string>> {
    // A malformed query or a failing storage names no application; the answer itself reports the
    // problem.
    const owner = await ownerOf(use, request).catch(() => undefined);
    if (!owner || !check.origins.isOf(owner, origin)) return vary;
    return { ...vary, "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
  }

  /**
   * A preflight does not name its application, so it is allowed for any application's origins. The
   * answer to the call is shared only with its own application's. Not rate limited: it is one
   * memory lookup, and a refusal would hide the 429.
   */
  function preflight(path: string, open: Route[]): Route {
    const methods = open.map(({ method }) => method).join(", ");
    const headers = [...new Set(open.flatMap(({ browser }) => (browser ? allowedHeaders[browser] : [])))].join(", ");
    return route("OPTIONS", path, anyone, undefined, async (_ctx, request) => {
      const answer = { status: 204, headers: { vary: "Origin", "cache-control": "no-store" }, body: "" };
      const origin = request.header("origin");
      const isPreflight = request.header("access-control-request-method") !== undefined;
      const isForAll = open.every(({ browser }) => browser === "everybody");
      const isAllowed = isForAll || (origin !== undefined && (await check.origins.isRegistered(origin)));
      if (origin === undefined || !isPreflight || !isAllowed) return answer;
      const allowed = {
        "access-control-allow-origin": isForAll ? "*" : origin,
        "access-control-allow-methods": methods,
        "access-control-allow-headers": headers,
        "access-control-max-age": String(preflightSeconds),
      };
      return { ...answer, headers: { ...answer.headers, ...allowed } };
    });
  }

  return {
    /** An OPTIONS route for each path that is open to browsers. */
    preflights(routes: Route[]): Route[] {
      const open = Map.groupBy(
        routes.filter(({ browser }) => browser !== undefined),
        ({ path }) => path,
      );
      return [...open].map(([path, routesOfPath]) => preflight(path, routesOfPath));
    },

    /** The headers that let a page of the call's application read the answer. */
    async headersFor(use: BrowserUse, request: HttpRequest): Promise<Record<string, string>> {
      if (use === "everybody") return everybody;
      const origin = request.header("origin");
      return origin === undefined ? vary : await sharingWith(origin, use, request);
    },
  };
}
