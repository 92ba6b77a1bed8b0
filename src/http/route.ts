import type { AppError } from "../lib/errors.ts";
import type { Answer } from "./answer.ts";
import type { HttpRequest } from "./request.ts";

/** The four kinds of limit that the contract has (section 8). */
export type EndpointType = "authentication" | "userManagement" | "applicationManagement" | "webhooks";

/** Calls a minute, where an application has others than the configuration. */
export type RateLimits = Partial<Record<EndpointType, number>>;

/** What a call is counted by: its app or its user, with the limits of that app, or (undefined) its address, with those of the service. */
type Counted = { countedAs: string | undefined; limits?: RateLimits | undefined };

/** Who calls. `refusal` is for a caller that is known but may not do this: thrown once the call has been counted as the caller's own. */
export type Caller<T> = Counted & { caller: T; refusal?: AppError | undefined };

/** How pages of an application's origins may call a route: without an API key, with a user's token in a header, or in the query. */
export type BrowserUse = "public-client" | "user" | "query";

/** Throws what keeps a stranger out: INVALID_API_KEY, INVALID_TOKEN, INVALID_APP_ID, INSUFFICIENT_SCOPE. */
export type Guard<T> = (request: HttpRequest) => Promise<Caller<T>>;

export type Route = {
  method: "GET" | "POST" | "PATCH" | "DELETE" | "OPTIONS";
  /** `:name` stands for one path segment. */
  path: string;
  /** Undefined: not limited. */
  limit: EndpointType | undefined;
  /** Checks the caller. */
  admit: Guard<unknown>;
  /** Answers once the call has been counted; `caller` is whom `admit` let in. */
  answer(request: HttpRequest, caller: unknown): Promise<Answer> | Answer;
  /** Errors are shown to a person, as a page. */
  page: boolean;
  /** Undefined: no page of another origin may read what it answers. */
  browser: BrowserUse | undefined;
};

/** A line of `routes.ts`. */
export function route<T>(
  method: Route["method"],
  path: string,
  guard: Guard<T>,
  limit: EndpointType | undefined,
  handle: (request: HttpRequest, caller: T) => Promise<Answer> | Answer,
): Route {
  return {
    method,
    path,
    limit,
    page: false,
    browser: undefined,
    admit: guard,
    // The one place where both are known to speak of the same kind of caller.
    answer: (request, caller) => handle(request, caller as T),
  };
}

/** Opens a route to pages of the calling application's own origins (CORS). */
export function browser(use: BrowserUse, opened: Route): Route {
  return { ...opened, browser: use };
}

/** Anyone may call; counted by address. */
export const anyone: Guard<undefined> = async () => ({ caller: undefined, countedAs: undefined });

/** A route of the hosted pages. */
export function pageRoute(
  method: "GET" | "POST",
  path: string,
  limit: EndpointType | undefined,
  handle: (request: HttpRequest) => Promise<Answer> | Answer,
): Route {
  return { ...route(method, path, anyone, limit, handle), page: true };
}
