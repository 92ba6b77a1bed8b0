import {
  createHandler,
  type HandlerOptions,
  type Needs,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./handler.ts";
import { send, toRequest, type NodeRequest, type NodeResponse } from "./node-messages.ts";
import { uncached } from "./pages.ts";
import type { SignedInUser } from "./sessions.ts";

export { protectResource } from "./resource-node.ts";

/**
 * Nobody may get another's cookie from a cache, whatever the application says from here on. Node
 * calls `writeHead` for every response, even if only `end` was called.
 */
function keepFromCaches(response: NodeResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => unknown;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1);
    const isKept = (name: unknown): boolean => String(name).toLowerCase() !== "cache-control";
    // An array holds names and values in turn.
    const kept = Array.isArray(headers)
      ? headers.filter((_, at) => isKept(headers[at - (at % 2)]))
      : Object.fromEntries(Object.entries(Object(headers) as object).filter(([name]) => isKept(name)));
    response.setHeader("cache-control", uncached);
    return writeHead(status, ...rest.slice(0, -1), ...(typeof headers === "string" ? [headers] : [kept]));
  };
}

/**
 * Sign-in for a server of `node:http`. Waits until the settings have been checked.
 * @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the service
 */
export async function createAuth(options?: HandlerOptions) {
  const handler = createHandler(options);
  await handler.ready();

  async function sessionOf(request: NodeRequest, response: NodeResponse) {
    const { session, setCookies } = await handler.session(request, toRequest(request), !response.headersSent);
    if (!response.headersSent) {
      if (setCookies.length > 0) keepFromCaches(response);
      for (const line of setCookies.splice(0)) response.appendHeader("set-cookie", line);
      // Otherwise the back button shows the page after a sign-out.
      if (session && !response.hasHeader("cache-control")) response.setHeader("cache-control", uncached);
    }
    return session;
  }

  /** The user, if an organization is open as asked; undefined if the response was sent. */
  async function requireOrganization(
    request: NodeRequest,
    response: NodeResponse,
    needs: OrganizationNeeds = {},
  ): Promise<SignedInUser | undefined> {
    const session = await sessionOf(request, response);
    const answer = handler.withoutOrganization(toRequest(request), session, needs);
    if (answer) await send(answer, response);
    return answer ? undefined : session?.user;
  }

  return {
    authsvc: handler.authsvc,

    /** Handles sign-in, callback and sign-out. False: the request is yours to handle. */
    async handle(request: NodeRequest, response: NodeResponse): Promise<boolean> {
      const answer = await handler.handle(toRequest(request), () => request.socket?.remoteAddress);
      if (answer) await send(answer, response);
      return answer !== undefined;
    },

    getUser: async (request: NodeRequest, response: NodeResponse): Promise<SignedInUser | undefined> =>
      (await sessionOf(request, response))?.user,

    getAccessToken: async (request: NodeRequest, response: NodeResponse): Promise<string | undefined> =>
      (await sessionOf(request, response))?.accessToken,

    /** The user; undefined if the response was sent: to the sign-in for a page, else 401. */
    async requireUser(
      request: NodeRequest,
      response: NodeResponse,
      needs: UserNeeds = {},
    ): Promise<SignedInUser | undefined> {
      const session = await sessionOf(request, response);
      const answer = handler.withoutUser(toRequest(request), session, needs);
      if (answer) await send(answer, response);
      return answer ? undefined : session?.user;
    },

    getOrganization: async (request: NodeRequest, response: NodeResponse): Promise<UserOrganization | undefined> =>
      (await sessionOf(request, response))?.user.organization ?? undefined,

    requireOrganization,

    /** The same for a user with one of these roles. */
    requireRole: async (request: NodeRequest, response: NodeResponse, ...roles: [string, ...string[]]) =>
      await requireOrganization(request, response, { roles }),

    /** The user, if signed in as asked; undefined if the response was sent, as by `requireUser`. */
    async requireFresh(request: NodeRequest, response: NodeResponse, needs: Needs): Promise<SignedInUser | undefined> {
      const session = await sessionOf(request, response);
      const answer = await handler.staleness(toRequest(request), session, needs);
      if (answer) await send(answer, response);
      return answer ? undefined : session?.user;
    },
  };
}
