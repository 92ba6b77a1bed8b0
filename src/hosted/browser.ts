import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../http/request.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";

/** The browser as one scope knows it: a cookie of its own for each scope, and the token that its forms carry. */
export type Browser = { digest: string; readonly formToken: string; setCookie: string | undefined };

/**
 * What a cookie is for, and so how long it is kept. `key` names the one session or application; only a digest of it gets into the cookie's name.
 */
export type Scope = { kind: keyof typeof cookieSeconds; key: string };

export type Browsers = ReturnType<typeof createBrowsers>;

const cookieSeconds = {
  /** Longer than a sign-in session lives, so that a late browser is told "timed out" and not "another browser". */
  "sign-in": 3600,
  account: 12 * 3600,
  /** Says only that this browser has been here before. */
  known: 365 * 24 * 3600,
};

/** Each sign-in leaves one; a browser that kept them all would one day send more than a request may hold. */
const mostSignInCookies = 20;

/** As long as the link in a mail works that only this browser may use. */
const mailSeconds = 24 * 3600;

/**
 * Ties a scope to a browser. A GET gives the browser a random cookie and says nothing else about the scope; the form token is
 * a MAC over cookie and scope, so a form that another site wrote cannot have it, in any browser, with or without Fetch Metadata.
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
      // Most of them meet no form, and one that is shown again needs it twice.
      get formToken() {
        return (formToken ??= keyring.mac("form", cookie, kind, key).toString("base64url"));
      },
      setCookie,
    };
  }

  function knownCookie(request: HttpRequest, scope: Scope): string | undefined {
    const known = request.cookie(cookieName(scope));
    return known !== undefined && /^[A-Za-z0-9_-]{43}$/u.test(known) ? known : undefined;
  }

  function renew(scope: Scope): Browser {
    const cookie = newSecret(random);
    return browserWith(cookie, scope, cookieLine(scope, cookie));
  }

  return {
    /** The browser that sent a request; a new cookie for one that has none yet. */
    meet(request: HttpRequest, scope: Scope): Browser {
      const known = knownCookie(request, scope);
      return known === undefined ? renew(scope) : browserWith(known, scope, undefined);
    },

    /** A new cookie, whatever the browser sent: nobody can have put it there before (session fixation). */
    renew,

    /** The line that makes the browser keep its cookie for as long as a mail is good; undefined when it has none. */
    keepForMail(request: HttpRequest, scope: Scope): string | undefined {
      const known = knownCookie(request, scope);
      return known === undefined ? undefined : cookieLine(scope, known, mailSeconds);
    },

    /** The lines that take away the oldest sign-ins' cookies, where there are too many. Browsers send them oldest first (RFC 6265 §5.4). */
    surplus(request: HttpRequest): string[] {
      const names = request.cookieNames().filter((name) => name.startsWith(signInPrefix) && /^[\w-]+$/u.test(name));
      return names.slice(0, -mostSignInCookies).map((name) => expired(name));
    },

    /** The line that takes a cookie away. */
    forget(scope: Scope): string {
      return expired(cookieName(scope));
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
