import type { InitiateRequest, TokensAndUser } from "./api.ts";
import type { Authsvc } from "./authsvc.ts";
import type { Cookies } from "./cookies.ts";
import { randomText, sha256, toBase64Url } from "./encoding.ts";
import { AuthsvcError } from "./errors.ts";
import { createOnce } from "./once.ts";
import { isPrefetch, localPath, redirect } from "./pages.ts";
import type { Seal } from "./seal.ts";

/** What depends on the redirect URI; known after the application was read. */
export type Site = { redirectUri: string; origin: string; callbackPath: string; cookies: Cookies };

/** State, PKCE verifier and the path asked for, if any, in the browser that began. */
type Begun = { s: string; v: string; t: string | null };

export type Finished = {
  /** Of a sign-in that worked. */
  tokens?: TokensAndUser;
  returnTo?: string;
  /** This browser did not start it. */
  isForeign?: true;
  isCancelled?: true;
  /** The account cannot sign in as strongly as asked. */
  isUnmet?: true;
  problem?: string;
  clear: string[];
};

export const unmet =
  "This needs a passkey or a second factor, which your account does not have. Add one to your account first.";
const beginsWith = "sign-in-";
/** As long as a sign-in session lives. */
const seconds = 600;
/** Several tabs may sign in at once. */
const maxAtOnce = 4;

/** Unfinished sign-ins, each in its own encrypted cookie. */
export function createSignIns(authsvc: Authsvc, seal: Seal) {
  // A browser that sends the redirect twice: a second use of the code would end the login. Workers
  // join only what is finished: of two redirects at the same moment, the second ends the login.
  const redeemed = createOnce<TokensAndUser>(authsvc, 60_000);

  return {
    async start(request: Request, site: Site, extra: Partial<InitiateRequest> = {}): Promise<Response> {
      const { headers, url } = request;
      // A prefetch does not start a sign-in.
      if (isPrefetch(request)) return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
      const begun: Begun = {
        s: randomText(),
        v: randomText(),
        t: localPath(new URL(url).searchParams.get("returnTo")) ?? null,
      };
      const { authUrl } = await authsvc.initiate({
        ...extra,
        redirectUri: site.redirectUri,
        state: begun.s,
        codeChallenge: toBase64Url(await sha256(begun.v)),
      });
      const name = nameOf(begun.s);
      const line = site.cookies.line(name, await seal.seal(name, begun), seconds);
      const others = [...site.cookies.read(headers.get("cookie")).keys()].filter((each) =>
        /^sign-in-[\w-]+$/u.test(each),
      );
      const tooMany = others.length < maxAtOnce ? [] : others.map((each) => site.cookies.clear(each));
      return redirect(authUrl, [...tooMany, line]);
    },

    async finish(request: Request, site: Site): Promise<Finished> {
      const query = new URL(request.url).searchParams;
      const state = query.get("state") ?? "";
      const name = nameOf(state);
      const text = site.cookies.read(request.headers.get("cookie")).get(name);
      const begun = text === undefined ? undefined : ((await seal.open(name, text)) as Begun | undefined);
      // Otherwise an attacker's link could sign the user in to the attacker's account.
      if (begun?.s !== state)
        return {
          isForeign: true,
          problem:
            "This sign-in was not started in this browser, or the browser blocks cookies. Allow them, and sign in again.",
          clear: [],
        };
      const codeVerifier = begun.v;
      const returnTo = begun.t ?? undefined;
      const clear = [site.cookies.clear(name)];
      const failure = query.get("error");
      if (failure === "access_denied") return { isCancelled: true, clear };
      if (failure === "unmet_authentication_requirements") return { isUnmet: true, problem: unmet, clear };
      const code = query.get("code") ?? "";
      const sessionId = query.get("sessionId") ?? "";
      if (failure !== null || code === "")
        return { returnTo, problem: "The sign-in did not work. Sign in again.", clear };
      try {
        const tokens = await redeemed(
          state,
          async () => await authsvc.callback({ code, sessionId, state, codeVerifier }),
        );
        return { tokens, returnTo, clear };
      } catch (error) {
        if (!(error instanceof AuthsvcError) || error.code !== "INVALID_REQUEST") throw error;
        return { returnTo, problem: "The sign-in took too long. Sign in again.", clear };
      }
    },
  };
}

function nameOf(state: string): string {
  return `${beginsWith}${state.replaceAll(/[^\w-]/gu, "").slice(0, 8)}`;
}
