import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../http/request.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";

/** A browser within one scope: the cookie for that scope, and the token for its forms. */
export type Browser = { digest: string; readonly formToken: string; setCookie: string | undefined };

/**
 * What a cookie is for, which decides its lifetime. `key` identifies the session or application;
 * the cookie's name contains only a digest of it.
 */
export type Scope = { kind: keyof typeof cookieSeconds; key: string };

export type Browsers = ReturnType<typeof createBrowsers>;

const cookieSeconds = {
  /**
   * Longer than a sign-in session, so that a late browser sees "timed out" instead of "another
   * browser".
   */
  "sign-in": 3600,
  account: 12 * 3600,
  /** Only shows that this browser has been here before. */
  known: 365 * 24 * 3600,
  /** Only the last sign-in method per application; identifies no person. */
  "used-last": 365 * 24 * 3600,
};

/**
 * Each sign-in sets a cookie. A browser that kept them all would eventually exceed the limit for
 * request headers.
 */
const maxSignInCookies = 20;

/** More applications than anybody uses in one browser. */
const maxScopes = 30;

const cookieForm = /^[A-Za-z0-9_-]{43}$/u;

const usedLastForm = /^(?:passkey|password|oauth\.[a-z0-9._-]{1,64})$/u;

/** The lifetime of a mailed link that only this browser may use. */
const mailSeconds = 24 * 3600;

/**
 * Ties a scope to a browser by a random cookie, which reveals nothing about the scope. The form
 * token is a MAC over cookie and scope, so another site cannot forge a form, in any browser, with
 * or without Fetch Metadata.
 */
export function createBrowsers(deps: { keyring: Keyring; random: Random; baseUrl: string }) {
  const { keyring, random, baseUrl } = deps;
  const secure = baseUrl.startsWith("https:");

  const prefix = `${secure ? "__Host-" : ""}authsvc-`;
  const signInPrefix = `${prefix}visit-`;

  function cookieName({ kind, key }: Scope): string {
    const digest = digestOf(`${kind} ${key}`).replaceAll(/[^A-Za-z0-9]/gu, "");
    return `${kind === "sign-in" ? signInPrefix : prefix}${digest.slice(0, 12)}`;
  }

  function line(name: string, value: string, seconds: number): string {
    return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  }

  function cookieLine(scope: Scope, value: string, seconds = cookieSeconds[scope.kind]): string {
    return line(cookieName(scope), value, seconds);
  }

  function expired(name: string): string {
    return line(name, "", 0);
  }

  function browserWith(cookie: string, { kind, key }: Scope, setCookie: string | undefined): Browser {
    let formToken: string | undefined;
    return {
      digest: digestOf(cookie),
      // Computed on demand: most requests need no token, and a redisplayed form needs it twice.
      get formToken() {
        return (formToken ??= keyring.mac("form", cookie, kind, key).toString("base64url"));
      },
      setCookie,
    };
  }

  function knownCookie(request: HttpRequest, scope: Scope): string | undefined {
    const known = request.cookies().get(cookieName(scope));
    return known !== undefined && cookieForm.test(known) ? known : undefined;
  }

  function renew(scope: Scope): Browser {
    const cookie = newSecret(random);
    return browserWith(cookie, scope, cookieLine(scope, cookie));
  }

  return {
    /** The browser that sent a request; a new cookie if it has none. */
    meet(request: HttpRequest, scope: Scope): Browser {
      const known = knownCookie(request, scope);
      return known === undefined ? renew(scope) : browserWith(known, scope, undefined);
    },

    /** A new cookie whatever the browser sent, against session fixation. */
    renew,

    /** The digests of all cookies of a request that could be browsers of some scope. */
    digests(request: HttpRequest): string[] {
      const ours = [...request.cookies()].filter(([name]) => name.startsWith(prefix) && !name.startsWith(signInPrefix));
      return ours.slice(0, maxScopes).flatMap(([, value]) => (cookieForm.test(value) ? [digestOf(value)] : []));
    },

    /**
     * The cookie line that extends the cookie to the lifetime of a mail; undefined if the browser
     * has none.
     */
    keepForMail(request: HttpRequest, scope: Scope): string | undefined {
      const known = knownCookie(request, scope);
      return known === undefined ? undefined : cookieLine(scope, known, mailSeconds);
    },

    /**
     * The lines that remove the oldest sign-in cookies when there are too many. Browsers send the
     * oldest first (RFC 6265 §5.4).
     */
    surplus(request: HttpRequest): string[] {
      const names = [...request.cookies().keys()].filter(
        (name) => name.startsWith(signInPrefix) && /^[\w-]+$/u.test(name),
      );
      return names.slice(0, -maxSignInCookies).map((name) => expired(name));
    },

    /** The last method used in this browser: "passkey", "password" or "oauth.PROVIDER". */
    usedLast(request: HttpRequest, appId: string): string | undefined {
      const value = request.cookies().get(cookieName({ kind: "used-last", key: appId }));
      return value !== undefined && usedLastForm.test(value) ? value : undefined;
    },

    /** The cookie line that stores it, for finished sign-ins only. */
    usedLastCookie: (appId: string, way: string): string => cookieLine({ kind: "used-last", key: appId }, way),

    /** The line that removes a cookie. */
    forget(scope: Scope): string {
      return expired(cookieName(scope));
    },

    /** Whether the browser says that another site caused this request. */
    isCrossSite(request: HttpRequest): boolean {
      const site = request.header("sec-fetch-site");
      if (site !== undefined) return site !== "same-origin" && site !== "none";
      const origin = request.header("origin");
      // Under `Referrer-Policy: no-referrer`, older browsers send "null" with our own forms: then
      // only the form token decides.
      return origin !== undefined && origin !== "null" && origin !== baseUrl;
    },

    ownsForm(browser: Browser, formTokenSent: string | undefined): boolean {
      const sent = Buffer.from(formTokenSent ?? "");
      const expected = Buffer.from(browser.formToken);
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}
