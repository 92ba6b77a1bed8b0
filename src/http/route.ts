import type { Answer } from "./answer.ts";
import type { HttpRequest } from "./request.ts";

/** The four kinds of limit that the contract has (section 8). */
export type EndpointType = "authentication" | "userManagement" | "applicationManagement" | "webhooks";

/** Who calls, and what its calls are counted by: its app, its user, or (undefined) its address. */
export type Caller<T> = { caller: T; countedAs: string | undefined };

/** Throws what keeps a stranger out: INVALID_API_KEY, INVALID_TOKEN, INVALID_APP_ID, INSUFFICIENT_SCOPE. */
export type Guard<T> = (request: HttpRequest) => Promise<Caller<T>>;

export type Route = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `:name` stands for one path segment. */
  path: string;
  /** Undefined: not limited. */
  limit: EndpointType | undefined;
  /** Checks the caller, and gives back what answers once the call has been counted. */
  admit(request: HttpRequest): Promise<{ countedAs: string | undefined; answer(): Promise<Answer> }>;
  /** Errors are shown to a person, as a page. */
  page: boolean;
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
    async admit(request) {
      const { caller, countedAs } = await guard(request);
      return { countedAs, answer: async () => await handle(request, caller) };
    },
  };
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
