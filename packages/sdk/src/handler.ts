import type { InitiateRequest } from "./api.ts";
import { createAuthsvc, type Authsvc } from "./authsvc.ts";
import { waitingForService } from "./check.ts";
import { createCookies } from "./cookies.ts";
import { isRefused, type AuthsvcError } from "./errors.ts";
import { challengeOf, isFresh, needsIn, signInAddress, type Needs } from "./fresh.ts";
import {
  isConfined,
  organizationProblem,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./organizations.ts";
import { answer, errorPage, isNavigation, isPrefetch, localPath, redirect, uncached } from "./pages.ts";
import { never } from "./recent.ts";
import { createSeal } from "./seal.ts";
import { createSessions, type Session, type SessionResult, type SignedInUser } from "./sessions.ts";
import { configurationError, type AuthsvcOptions } from "./settings.ts";
import { createSignIns, unmet, type Site } from "./sign-ins.ts";
import { createStartLimit } from "./start-limit.ts";

export type { Needs } from "./fresh.ts";
export type { OrganizationNeeds, UserNeeds, UserOrganization } from "./organizations.ts";
export type { SignedInUser } from "./sessions.ts";

export type HandlerOptions = AuthsvcOptions & {
  /** An existing client. By default, one is created from the other options. */
  authsvc?: Authsvc;
  /** At least 32 characters, the same on every server. Default: AUTHSVC_COOKIE_SECRET. */
  cookieSecret?: string;
  /** Default: the registered one. Of several, the one with the request's host (otherwise 400). */
  redirectUri?: string;
  /** Where a link starts a sign-in: `/sign-in?returnTo=/cart`. */
  signInPath?: string;
  /** Where a form posts to sign out. */
  signOutPath?: string;
  /** Where a form posts to open another organization: `/switch-organization?organization=org_…`. */
  switchPath?: string;
  /** Where people go after a sign-in without `returnTo`, a cancelled sign-in, or a sign-out. */
  homePath?: string;
  /**
   * How many proxies are in front of this program, each of which appends to `X-Forwarded-For`. By
   * default 1 if the connection comes from a private address, else 0.
   */
  trustedProxies?: number;
  /** More fields for starting a sign-in, such as `authMethod` or `locale`. */
  signIn?: (request: Request) => Partial<InitiateRequest>;
};

const warnsEvery = 60_000;
/** Of somebody who is signed in. */
const refusals = {
  none: [403, "Open an organization first."],
  role: [403, "You lack the role for this."],
  confined: [403, "You signed in by your organization, for its pages only."],
  another: [409, "Another organization is open in this browser. Go back, and open this one first."],
} as const;

export type Handler = ReturnType<typeof createHandler>;

/**
 * Sign-in, callback and sign-out for an application, and its sessions.
 * @throws AuthsvcError CONFIGURATION
 */
export function createHandler(options: HandlerOptions = {}) {
  const { signInPath = "/sign-in", signOutPath = "/sign-out", homePath = "/" } = options;
  const { switchPath = "/switch-organization" } = options;
  const authsvc = options.authsvc ?? createAuthsvc(options);
  const seal = createSeal(options.cookieSecret);
  const sessions = createSessions(authsvc, seal);
  const signIns = createSignIns(authsvc, seal);
  const startLimit = createStartLimit(options.trustedProxies, authsvc.now);
  const results = new WeakMap<object, Promise<SessionResult>>();
  let reading: Promise<Site[]> | undefined;
  let warnedAt = never;
  const register = `Register one: authsvc app update ${authsvc.appId} --add-redirect-uri URL`;

  async function readSites(): Promise<Site[]> {
    const { redirectUris } = await authsvc.check(options.redirectUri);
    const usable = redirectUris.filter((uri) => /^https?:/u.test(uri));
    const uris = options.redirectUri === undefined ? usable : [options.redirectUri];
    if (uris.length === 0) throw configurationError(`The application has no redirect URI. ${register}`);
    return await Promise.all(
      uris.map(async (redirectUri) => {
        const { origin, pathname } = new URL(redirectUri);
        return { redirectUri, origin, callbackPath: pathname, cookies: await createCookies(authsvc.appId, origin) };
      }),
    );
  }

  async function sites(): Promise<Site[]> {
    reading ??= readSites().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return await reading;
  }

  /** Only registered redirect URIs are used, whatever host a request names. */
  async function siteOf(request: Request): Promise<Site | undefined> {
    const known = await sites();
    const { host } = new URL(request.url);
    return known.length === 1 ? known[0] : known.find(({ origin }) => new URL(origin).host === host);
  }

  /** A visitor can name any host, so this is no error of the application, and fills no log. */
  function refuseHost(request: Request): Response {
    if (performance.now() - warnedAt > warnsEvery) {
      warnedAt = performance.now();
      const host = new URL(request.url).host.slice(0, 255);
      console.warn(
        `authsvc: somebody wants to sign in at ${host}, but no redirect URI has this host. Set the option redirectUri. ${register}`,
      );
    }
    return errorPage(400, "Signing in does not work at this address. Use the application's usual one.", homePath, []);
  }

  /**
   * Another site's form must not sign anybody out. A page with `Referrer-Policy: no-referrer`, as
   * helmet sets it, sends the origin "null".
   */
  function isOwnForm({ headers }: Request, site: Site): boolean {
    const from = headers.get("origin");
    const isHidden = from === null || from === "null";
    return isHidden ? headers.get("sec-fetch-site") === "same-origin" : from === site.origin;
  }

  async function signOut(request: Request, site: Site): Promise<Response> {
    if (!isOwnForm(request, site)) return answer(403, "This page may not sign you out.");
    const { setCookies, failure } = await sessions.end(site.cookies, request.headers.get("cookie"));
    if (failure === undefined) return redirect(homePath, setCookies);
    return errorPage(
      503,
      "You are signed out in this browser, but the sign-in service did not answer: the login has not ended there.",
      homePath,
      setCookies,
    );
  }

  /** Opens another organization in this browser. */
  async function switchOrganization(request: Request, site: Site): Promise<Response> {
    if (!isOwnForm(request, site)) return answer(403, "This page may not open another organization.");
    const query = new URL(request.url).searchParams;
    const organization = query.get("organization") ?? "";
    const returnTo = localPath(query.get("returnTo")) ?? homePath;
    if (organization === "") return errorPage(400, "The organization is missing.", returnTo, []);
    const signInThere = signInAddress(signInPath, returnTo, { organization });
    try {
      const setCookies = await sessions.open(site.cookies, request.headers.get("cookie"), organization);
      return setCookies ? redirect(returnTo, setCookies) : redirect(signInThere, []);
    } catch (error) {
      if (!isRefused(error)) throw error;
      // A second factor may be missing, which a sign-in asks for.
      return errorPage(403, "You cannot open this organization. To try again, sign in to it.", signInThere, []);
    }
  }

  function refuseStart(seconds: number): Response {
    const message = "You started too many sign-ins. Wait a minute, and try again.";
    const page = errorPage(429, message, homePath, []);
    page.headers.set("retry-after", String(seconds));
    return page;
  }

  async function route(request: Request, peer?: () => string | undefined): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    const isStart = pathname === signInPath && request.method === "GET";
    const isEnd = pathname === signOutPath && request.method === "POST";
    const isSwitch = pathname === switchPath && request.method === "POST";
    const mayReturn = request.method === "GET" && searchParams.has("state") && searchParams.has("sessionId");
    if (!isStart && !isEnd && !isSwitch && !mayReturn) return undefined;
    const site = await siteOf(request);
    if (!site) return isStart || isEnd || isSwitch ? refuseHost(request) : undefined;
    if (isEnd) return await signOut(request, site);
    if (isSwitch) return await switchOrganization(request, site);
    if (isStart) {
      const pause = isPrefetch(request) ? undefined : startLimit(peer?.(), request.headers.get("x-forwarded-for"));
      if (pause !== undefined) return refuseStart(pause);
      return await signIns.start(request, site, { ...options.signIn?.(request), ...needsIn(searchParams) });
    }
    return pathname === site.callbackPath ? await comeBack(request, site) : undefined;
  }

  async function comeBack(request: Request, site: Site): Promise<Response> {
    const finished = await signIns.finish(request, site);
    const { tokens, returnTo, clear, isForeign, isCancelled, isUnmet, problem = "" } = finished;
    if (tokens) {
      const cookies = await sessions.begin(site.cookies, request.headers.get("cookie"), tokens);
      return redirect(returnTo ?? homePath, [...clear, ...cookies]);
    }
    // The back button, or a reload of this address, after a sign-in that worked.
    const isSignedIn = isForeign && (await resultOf(request, request, true)).session !== undefined;
    if (isSignedIn || isCancelled) return redirect(homePath, clear);
    return errorPage(400, problem, isUnmet ? homePath : signInAddress(signInPath, returnTo ?? homePath), clear);
  }

  async function resultOf(key: object, request: Request, canSetCookies: boolean): Promise<SessionResult> {
    let result = results.get(key);
    if (!result) {
      const header = request.headers.get("cookie");
      const bearer = bearerOf(request);
      const read = async (): Promise<SessionResult> => {
        const site = await siteOf(request);
        // No sign-in ends at this host, so it has no session cookie.
        return site ? await sessions.read(site.cookies, header, canSetCookies) : { setCookies: [] };
      };
      // A token that was sent on purpose decides alone: a cookie may be another person's.
      if (bearer !== undefined) result = sessions.ofBearer(bearer);
      else result = header === null ? Promise.resolve({ setCookies: [] }) : read();
      results.set(key, result);
    }
    return await result;
  }

  function challenge(request: Request, needs?: Needs, session?: Session): Response {
    const { pathname, search } = new URL(request.url);
    if (bearerOf(request) === undefined && isNavigation(request))
      return redirect(signInAddress(signInPath, localPath(pathname + search) ?? homePath, needs), []);
    if (!needs || !session) return answer(401, "Nobody is signed in.");
    return answer(401, "Sign in again for this.", challengeOf(needs));
  }

  async function staleness(request: Request, session: Session | undefined, needs: Needs) {
    if (session && isConfined(session.user)) return refusal(request, "confined");
    const does = session && (await isFresh(authsvc, session, needs));
    return does ? undefined : challenge(request, needs, session);
  }

  /** The response for a session whose organization does not do; undefined if it does. */
  function withoutOrganization(
    request: Request,
    session: Session | undefined,
    needs: OrganizationNeeds,
  ): Response | undefined {
    if (!session) return challenge(request);
    const problem = organizationProblem(session.user.organization, needs);
    return problem && refusal(request, problem);
  }

  /** The response for a session that does not do for a route of users; undefined if it does. */
  function withoutUser(
    request: Request,
    session: Session | undefined,
    { confined = false }: UserNeeds = {},
  ): Response | undefined {
    if (!session) return challenge(request);
    return isConfined(session.user) && !confined ? refusal(request, "confined") : undefined;
  }

  function refusal(request: Request, problem: keyof typeof refusals): Response {
    const [status, message] = refusals[problem];
    const isPage = bearerOf(request) === undefined && /text\/html/u.test(request.headers.get("accept") ?? "");
    return isPage ? errorPage(status, message, homePath, []) : answer(status, message);
  }

  return {
    authsvc,

    /**
     * Finds wrong settings when your program starts. Waits up to ten seconds for a service that
     * starts at the same time. @throws AuthsvcError CONFIGURATION, UNREACHABLE
     */
    ready: async (): Promise<void> => void (await waitingForService(sites)),

    /**
     * The response to sign-in, callback and sign-out; undefined for any other request. `peer`: the
     * address of the connection, to limit how many sign-ins one visitor starts.
     */
    async handle(request: Request, peer?: () => string | undefined): Promise<Response | undefined> {
      try {
        return await route(request, peer);
      } catch (error) {
        const { code, details, retryAfter = 5 } = error as AuthsvcError;
        // Anybody can write such a link: no error of the application.
        if (code === "INVALID_REQUEST" && details?.startsWith("acr:")) return errorPage(400, unmet, homePath, []);
        if (code === "INVALID_REQUEST" && details?.startsWith("organization:"))
          return errorPage(400, "There is no such organization.", homePath, []);
        if (code !== "UNREACHABLE" && code !== "RATE_LIMITED") throw error;
        const page = errorPage(
          503,
          "Signing in does not work at the moment. Try again in a few seconds.",
          homePath,
          [],
        );
        page.headers.set("retry-after", String(retryAfter));
        return page;
      }
    },

    /**
     * The session of a request, by cookie or bearer token, read once for each `key` (the
     * framework's request).
     * @throws AuthsvcError UNREACHABLE: it is unknown who is signed in; do not treat the user as
     * signed out.
     */
    session: resultOf,

    async getUser(request: Request): Promise<SignedInUser | undefined> {
      return (await resultOf(request, request, true)).session?.user;
    },

    /** For calls to the service about the signed-in user. Never send it to the browser. */
    async getAccessToken(request: Request): Promise<string | undefined> {
      return (await resultOf(request, request, true)).session?.accessToken;
    },

    /**
     * The user, by cookie or bearer token; otherwise the response: for somebody signed out, or 403
     * for who is there for their organization only, unless `confined` takes them.
     */
    async requireUser(request: Request, needs: UserNeeds = {}): Promise<SignedInUser | Response> {
      const { session } = await resultOf(request, request, true);
      return withoutUser(request, session, needs) ?? (session as Session).user;
    },

    /** The response of `requireUser` for a session that does not do. */
    withoutUser,

    /**
     * The user, if the sign-in is as strong and recent as asked. Otherwise the response: to a
     * sign-in that is, and back; to scripts and bearer tokens the challenge of RFC 9470.
     */
    async requireFresh(request: Request, needs: Needs): Promise<SignedInUser | Response> {
      const { session } = await resultOf(request, request, true);
      return (await staleness(request, session, needs)) ?? (session as Session).user;
    },

    async getOrganization(request: Request): Promise<UserOrganization | undefined> {
      return (await resultOf(request, request, true)).session?.user.organization ?? undefined;
    },

    /**
     * The user, if an organization is open: the one with `id`, and with one of `roles`. Otherwise
     * the response: as `requireUser` for somebody signed out, else 403, or 409 for another one.
     */
    async requireOrganization(request: Request, needs: OrganizationNeeds = {}): Promise<SignedInUser | Response> {
      const { session } = await resultOf(request, request, true);
      return withoutOrganization(request, session, needs) ?? (session as Session).user;
    },

    /** The same for a user with one of these roles. */
    async requireRole(request: Request, ...roles: [string, ...string[]]): Promise<SignedInUser | Response> {
      return await this.requireOrganization(request, { roles });
    },

    /** The response of `requireOrganization` for a session that does not do. */
    withoutOrganization,

    /** The response of `requireFresh` for a session that does not do; undefined if it does. */
    staleness,

    /** Redirects a page request to the sign-in, and answers any other with 401. */
    challenge,

    /** Adds the session's headers to your response. Call it for every response. */
    async finish(request: Request, response: Response, key: object = request): Promise<Response> {
      const result = await results.get(key)?.catch(() => undefined);
      if (!result || (!result.session && result.setCookies.length === 0)) return response;
      const finished = new Response(response.body, response);
      for (const line of result.setCookies) finished.headers.append("set-cookie", line);
      // Nobody may get another's cookie from a cache, whatever the application says. Without one:
      // otherwise the back button shows the page after a sign-out.
      if (result.setCookies.length > 0 || !finished.headers.has("cache-control"))
        finished.headers.set("cache-control", uncached);
      return finished;
    },
  };
}

function bearerOf({ headers }: Request): string | undefined {
  return /^bearer +(.*)$/iu.exec(headers.get("authorization") ?? "")?.[1];
}
