import type { Authsvc } from "./authsvc.ts";
import { parseCookies } from "./cookies.ts";
import type { AuthsvcError } from "./errors.ts";
import { isFresh, signInAddress } from "./fresh.ts";
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  type Needs,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./handler.ts";
import { isConfined, organizationProblem } from "./organizations.ts";
import { originOf } from "./node-messages.ts";
import type { Session, SignedInUser } from "./sessions.ts";

/** The parts of Next.js that this uses. */
type Next = {
  headers: { headers(): Promise<Headers> };
  navigation: { redirect(path: string): never; notFound(): never };
  server: {
    NextResponse: { next(init: { request: { headers: Headers } }): Response };
    connection(): Promise<void>;
  };
};

/**
 * Sign-in for Next.js with the app router: `proxy` in `proxy.ts`, `ready` in `instrumentation.ts`.
 */
export function createAuth(options: HandlerOptions = {}) {
  let made: Handler | undefined;
  // Created on first use: a build imports this file without the settings.
  const handler = (): Handler => (made ??= createHandler(options));
  const { signInPath = "/sign-in" } = options;

  /** A page cannot set cookies: `proxy` has already refreshed the session. */
  async function session(): Promise<Session | undefined> {
    const { headers } = (await import("next/headers")) as Next["headers"];
    const { connection } = (await import("next/server")) as unknown as Next["server"];
    // Next.js prepares pages, and then ends their calls, which other requests may share.
    await connection();
    const given = await headers();
    const cookie = given.get("cookie") ?? "";
    const authorization = given.get("authorization") ?? "";
    const request = new Request(`${originOf(given.get("host"))}/`, { headers: { cookie, authorization } });
    return (await handler().session(request, request, false)).session;
  }

  async function toSignIn(returnTo: string, needs?: Needs): Promise<never> {
    const { redirect } = (await import("next/navigation")) as Next["navigation"];
    return redirect(signInAddress(signInPath, returnTo, needs));
  }

  async function member(needs: OrganizationNeeds, returnTo: string): Promise<SignedInUser> {
    const { user } = (await session()) ?? (await toSignIn(returnTo));
    return organizationProblem(user.organization, needs) === undefined ? user : await notFound();
  }

  async function notFound(): Promise<never> {
    return ((await import("next/navigation")) as Next["navigation"]).notFound();
  }

  return {
    get authsvc(): Authsvc {
      return handler().authsvc;
    },

    /** Finds wrong settings when the server starts. */
    ready: async (): Promise<void> => await handler().ready(),

    /** Handles sign-in, callback and sign-out, and refreshes sessions before a page runs. */
    async proxy(request: Request): Promise<Response> {
      const response = await handler().handle(request);
      const location = response?.headers.get("location") ?? undefined;
      // Next.js accepts only absolute URLs.
      if (location !== undefined) response?.headers.set("location", new URL(location, request.url).href);
      if (response) return response;
      const { NextResponse } = (await import("next/server")) as unknown as Next["server"];
      const { setCookies } = await handler()
        .session(request, request, true)
        .catch((error: unknown) => {
          // Public pages still work while the service does not answer.
          if ((error as AuthsvcError).statusCode !== 503) throw error;
          return { setCookies: [] };
        });
      const headers = new Headers(request.headers);
      // The page reads what the browser will send from now on.
      if (setCookies.length > 0) headers.set("cookie", withNew(headers.get("cookie") ?? "", setCookies));
      return await handler().finish(request, NextResponse.next({ request: { headers } }));
    },

    getUser: async (): Promise<SignedInUser | undefined> => (await session())?.user,

    getAccessToken: async (): Promise<string | undefined> => (await session())?.accessToken,

    /**
     * The user of a page. Sends others to the sign-in, and then back to `returnTo`. Without
     * `confined`, the page is not found for users who are there for their organization only.
     */
    async requireUser(returnTo = "/", { confined = false }: UserNeeds = {}): Promise<SignedInUser> {
      const { user } = (await session()) ?? (await toSignIn(returnTo));
      return confined || !isConfined(user) ? user : await notFound();
    },

    getOrganization: async (): Promise<UserOrganization | undefined> =>
      (await session())?.user.organization ?? undefined,

    /** The user, if an organization is open as asked. For others, the page is not found. */
    requireOrganization: async (needs: OrganizationNeeds = {}, returnTo = "/"): Promise<SignedInUser> =>
      await member(needs, returnTo),

    /** The same for a user with one of these roles. */
    requireRole: async (...roles: [string, ...string[]]): Promise<SignedInUser> => await member({ roles }, "/"),

    /** The same, for what needs a recent sign-in, or a strong one. */
    async requireFresh(needs: Needs, returnTo = "/"): Promise<SignedInUser> {
      const found = await session();
      if (found && isConfined(found.user)) return await notFound();
      const does = found && (await isFresh(handler().authsvc, found, needs));
      return does ? found.user : await toSignIn(returnTo, needs);
    },
  };
}

/** The request's cookies after these `Set-Cookie`. */
function withNew(header: string, setCookies: string[]): string {
  const nameOf = (pair: string): string | undefined => parseCookies(pair).keys().next().value;
  const pairs = setCookies.map((line) => line.split(";", 1)[0] ?? "");
  const names = new Set(pairs.map(nameOf));
  const kept = header.split(";").filter((pair) => !names.has(nameOf(pair)));
  const added = pairs.filter((_, at) => !setCookies[at]?.includes("Max-Age=0")).map((pair) => ` ${pair}`);
  return [...kept, ...added].join(";");
}
