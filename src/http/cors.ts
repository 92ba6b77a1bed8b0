import type { Application } from "../applications/application.ts";
import type { BrowserOrigins } from "../applications/browser-origins.ts";
import { bearerCredential } from "./guards.ts";
import type { HttpRequest } from "./request.ts";
import { anyone, route, type BrowserUse, type Route } from "./route.ts";

const preflightSeconds = 600;
const exposedHeaders = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After";

const vary = { vary: "Origin" };

/** What a page may send. No Authorization where it could only be an API key: that one belongs in no browser. */
const allowedHeaders: Record<BrowserUse, string[]> = {
  "public-client": ["Content-Type", "X-Service-App-ID"],
  user: ["Authorization", "Content-Type", "X-Service-App-ID"],
  query: ["Authorization", "Content-Type", "X-Service-App-ID"],
};

export type Cors = ReturnType<typeof createCors>;

/**
 * Lets pages of an application's own origins (those of its redirect URIs) read the answers of the routes that `routes.ts` opens to
 * browsers. Never `*`, and never with credentials: what authenticates a call travels in it, not in a cookie.
 */
export function createCors(check: {
  application(id: string): Promise<Application | undefined>;
  /** The application that a token claims to be for; not verified. */
  appOfToken(token: string): string | undefined;
  origins: BrowserOrigins;
}) {
  /**
   * The application that a call says it is for. That is enough: where a call succeeds, its guard has held the App ID and the token against
   * each other, and an error tells a stranger nothing that it could not get without a browser.
   */
  async function applicationOf(use: BrowserUse, request: HttpRequest): Promise<Application | undefined> {
    if (use === "query") {
      const application = await check.application(appIdInQuery(request) ?? "");
      return application?.settings.queryEndpoints ? application : undefined;
    }
    if (use === "public-client" && request.header("authorization") !== undefined) return undefined;
    const named = request.header("x-service-app-id") ?? check.appOfToken(bearerCredential(request) ?? "");
    return await check.application(named ?? "");
  }

  function appIdInQuery(request: HttpRequest): string | undefined {
    const query = request.query();
    return query.get("app_id") ?? check.appOfToken(query.get("token") ?? bearerCredential(request) ?? "");
  }

  async function sharingWith(origin: string, use: BrowserUse, request: HttpRequest): Promise<Record<string, string>> {
    // A query that cannot be read, or a storage that does not answer, names no application; the answer itself says what is wrong.
    const application = await applicationOf(use, request).catch(() => undefined);
    if (!application || !check.origins.isOf(application, origin)) return vary;
    return { ...vary, "access-control-allow-origin": origin, "access-control-expose-headers": exposedHeaders };
  }

  /**
   * A preflight does not say which application its call will be for, so it is allowed for the origins of any; the answer to the call itself
   * is shared with those of its own application only. Not counted: it costs one look into memory, and a refused one would hide the 429.
   */
  function preflight(path: string, open: Route[]): Route {
    const methods = open.map(({ method }) => method).join(", ");
    const headers = [...new Set(open.flatMap(({ browser }) => (browser ? allowedHeaders[browser] : [])))].join(", ");
    return route("OPTIONS", path, anyone, undefined, async (request) => {
      const answer = { status: 204, headers: { vary: "Origin", "cache-control": "no-store" }, body: "" };
      const origin = request.header("origin");
      const isPreflight = request.header("access-control-request-method") !== undefined;
      if (origin === undefined || !isPreflight || !(await check.origins.isRegistered(origin))) return answer;
      const allowed = {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": methods,
        "access-control-allow-headers": headers,
        "access-control-max-age": String(preflightSeconds),
      };
      return { ...answer, headers: { ...answer.headers, ...allowed } };
    });
  }

  return {
    /** An OPTIONS route for each path that has a route open to browsers. */
    preflights(routes: Route[]): Route[] {
      const open = Map.groupBy(
        routes.filter(({ browser }) => browser !== undefined),
        ({ path }) => path,
      );
      return [...open].map(([path, routesOfPath]) => preflight(path, routesOfPath));
    },

    /** The headers that let a page read the answer to this call, when it is a page of the application that the call is for. */
    headersFor(use: BrowserUse, request: HttpRequest): Record<string, string> | Promise<Record<string, string>> {
      const origin = request.header("origin");
      return origin === undefined ? vary : sharingWith(origin, use, request);
    },
  };
}
