import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../http/request.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";

/** The browser as one sign-in session knows it: a cookie of its own for each session, and the token that its forms carry. */
export type Browser = { digest: string; formToken: string; setCookie: string | undefined };

export type Browsers = ReturnType<typeof createBrowsers>;

/** Longer than a session lives, so that a late browser is told "timed out" and not "another browser". */
const cookieSeconds = 3600;

/**
 * Ties a sign-in session to a browser. A GET gives the browser a random cookie and says nothing else about the session; the form token is
 * a MAC over cookie and session, so a form that another site wrote cannot have it, in any browser, with or without Fetch Metadata.
 */
export function createBrowsers(deps: { keyring: Keyring; random: Random; baseUrl: string }) {
  const { keyring, random, baseUrl } = deps;
  const secure = baseUrl.startsWith("https:");

  function cookieName(sessionId: string): string {
    return `${secure ? "__Host-" : ""}authsvc-${digestOf(sessionId)
      .replaceAll(/[^A-Za-z0-9]/gu, "")
      .slice(0, 12)}`;
  }

  function cookieLine(sessionId: string, value: string): string {
    return `${cookieName(sessionId)}=${value}; Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  }

  function formToken(cookie: string, sessionId: string): string {
    return keyring.mac("form", cookie, sessionId).toString("base64url");
  }

  return {
    /** The browser that sent a request; a new cookie for one that has none yet. */
    meet(request: HttpRequest, sessionId: string): Browser {
      const known = request.cookie(cookieName(sessionId));
      const cookie = known !== undefined && /^[A-Za-z0-9_-]{43}$/u.test(known) ? known : newSecret(random);
      return {
        digest: digestOf(cookie),
        formToken: formToken(cookie, sessionId),
        setCookie: cookie === known ? undefined : cookieLine(sessionId, cookie),
      };
    },

    /** Whether another site made the browser send this request, as far as the browser says. */
    isCrossSite(request: HttpRequest): boolean {
      const site = request.header("sec-fetch-site");
      if (site !== undefined) return site !== "same-origin" && site !== "none";
      const origin = request.header("origin");
      // Under `Referrer-Policy: no-referrer`, older browsers send "null" with our own forms: there the form token alone decides.
      return origin !== undefined && origin !== "null" && origin !== baseUrl;
    },

    holds(browser: Browser, formTokenSent: string | undefined): boolean {
      const sent = Buffer.from(formTokenSent ?? "");
      const expected = Buffer.from(browser.formToken);
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}
