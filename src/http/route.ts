import type { AppError } from "../lib/errors.ts";
import type { EndpointType, RateLimits } from "../lib/rate-limits.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "./answer.ts";
import type { BodyKind, HttpRequest } from "./request.ts";

/**
 * The key of a call's counter: its app or user with that app's limits, or (undefined) its address
 * with the service's limits.
 */
type Counted = { countedAs: string | undefined; limits?: RateLimits | undefined };

/**
 * A known caller. `refusal` is thrown after the call was counted for the caller, who may not make
 * it.
 */
export type Caller<T> = Counted & { caller: T; refusal?: AppError | undefined };

/**
 * How pages on an application's origins call a route: without an API key, with a user's token in a
 * header, in the query, or as an OpenID Connect client. Pages of any origin: `everybody`.
 */
export type BrowserUse = "public-client" | "user" | "query" | "client" | "everybody";

/** Who may call, in the API documentation (`api/openapi/access.ts`). */
export type Access =
  | "anyone"
  | "client"
  | "managerOfItsApp"
  | "namedApp"
  | "queryUserWithProfile"
  | "serverOfItsApp"
  | "serverOrAllowedPublicClient"
  | "serverOrPublicClient"
  | "tokenOfNamedApp"
  | "user"
  | "userOfNamedApp"
  | "userWithOpenId"
  | "userWithProfile";

export type Guard<T> = {
  access: Access;
  /**
   * Throws if the caller is not admitted: INVALID_API_KEY, INVALID_TOKEN, INVALID_APP_ID,
   * INSUFFICIENT_SCOPE.
   */
  admit(ctx: Context, request: HttpRequest): Promise<Caller<T>>;
};

/**
 * How a route answers an error: the contract's object, a page, or the one of RFC 6749 §5.2.
 */
export type ErrorForm = "contract" | "page" | "oauth";

export type Route = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** `:name` matches one path segment. */
  path: string;
  /** Undefined: not counted here. A page that writes may count itself (`countStart`). */
  limit: EndpointType | undefined;
  /** Authenticates the caller. */
  guard: Guard<unknown>;
  /** Called after the call was counted. `caller` is the guard's result. */
  answer(ctx: Context, request: HttpRequest, caller: unknown): Promise<Answer> | Answer;
  errors: ErrorForm;
  /** Undefined: pages on other origins cannot read the answer. */
  browser: BrowserUse | undefined;
  /** How much it reads; `form` by default. */
  takes?: BodyKind;
  /** Any HTTP thread may answer it: it only reads, except that a DPoP proof is written down. */
  reads?: true;
};

/** Makes a line of `routes.ts`. */
export function route<T>(
  method: Route["method"],
  path: string,
  guard: Guard<T>,
  limit: EndpointType | undefined,
  handle: (ctx: Context, request: HttpRequest, caller: T) => Promise<Answer> | Answer,
): Route {
  return {
    method,
    path,
    limit,
    errors: "contract",
    browser: undefined,
    guard,
    // The only place where both are known to have the same caller type.
    answer: (ctx, request, caller) => handle(ctx, request, caller as T),
  };
}

/** Opens routes to pages on the calling application's own origins (CORS). */
export function browser<R extends Route>(use: BrowserUse, ...opened: R[]): R[] {
  return opened.map((each) => ({ ...each, browser: use }));
}

/** Routes that only read, so that each HTTP thread answers them itself (docs/decisions/0068). */
export function reading<R extends Route>(...lines: R[]): R[] {
  return lines.map((line) => ({ ...line, reads: true }));
}

/** Anyone; counted by address. */
export const anyone: Guard<undefined> = {
  access: "anyone",
  admit: async () => ({ caller: undefined, countedAs: undefined }),
};

/** A route of the hosted pages. */
export function pageRoute(
  method: "GET" | "POST",
  path: string,
  limit: EndpointType | undefined,
  handle: (ctx: Context, request: HttpRequest) => Promise<Answer> | Answer,
): Route {
  return { ...route(method, path, anyone, limit, handle), errors: "page" };
}

/** Routes of OAuth 2.0 or OpenID Connect that clients call, from their pages too. */
export function oauth<R extends Route>(...lines: R[]): R[] {
  return browser("client", ...lines).map((line) => ({ ...line, errors: "oauth" }));
}
