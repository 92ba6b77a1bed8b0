/**
 * Ties a scope to a browser by a random cookie, which reveals nothing about the scope. The form
 * token is a MAC over cookie and scope, so another site cannot forge a form, in any browser, with
 * or without Fetch Metadata.
 */
import { timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "../../http/request.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import type { Context } from "../../runtime/context.ts";

/** A browser within one scope: the cookie for that scope, and the token for its forms. */
export type Browser = {
  digest: string;
  readonly formToken: string;
  setCookie: string | undefined;
  /** The line that sets the same cookie for so many seconds. */
  lasting(seconds: number): string;
};

/**
 * The purpose of a cookie, which decides its lifetime. `key` identifies the session or application;
 * the cookie's name contains only a digest of it.
 */
export type Scope = { kind: keyof typeof cookieSeconds; key: string };

const cookieSeconds = {
  /**
   * Longer than a sign-in session, so that a late browser sees "timed out" instead of "another
   * browser".
   */
  "sign-in": 3600,
  account: 12 * 3600,
  /** For the page where people enter a device's code. */
  device: 3600,
  /** Only shows that this browser has been here before. */
  known: 365 * 24 * 3600,
  /** The longest time for which a browser can be trusted. */
  trusted: 90 * 24 * 3600,
  /** Only the last sign-in method per application; identifies no person. */
  "used-last": 365 * 24 * 3600,
  /** By which organizations' providers its people came, per application. */
  company: 365 * 24 * 3600,
};

/** Of organizations and the person who came by each, the last first. */
const companiesForm = /^(?:org_[0-9a-z]{1,40}\.usr_[0-9a-z]{1,40}~?){1,5}$/u;
const maxCompanies = 5;

/**
 * Each sign-in sets a cookie. A browser that kept them all would eventually exceed the limit for
 * request headers.
 */
const maxSignInCookies = 20;

/** More applications than anybody uses in one browser. */
const maxScopes = 30;

const cookieForm = /^[A-Za-z0-9_-]{43}$/u;

const usedLastForm = /^(?:passkey|password|emailCode|oauth\.[a-z0-9._-]{1,64})$/u;

/** The lifetime of a mailed link that only this browser may use. */
const mailSeconds = 24 * 3600;

function isSecure(ctx: Context): boolean {
  return ctx.baseUrl.startsWith("https:");
}

function cookiePrefix(ctx: Context): string {
  return `${isSecure(ctx) ? "__Host-" : ""}authsvc-`;
}

function signInCookiePrefix(ctx: Context): string {
  return `${cookiePrefix(ctx)}visit-`;
}

function cookieName(ctx: Context, { kind, key }: Scope): string {
  const digest = digestOf(`${kind} ${key}`).replaceAll(/[^A-Za-z0-9]/gu, "");
  return `${kind === "sign-in" ? signInCookiePrefix(ctx) : cookiePrefix(ctx)}${digest.slice(0, 12)}`;
}

function line(ctx: Context, name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(ctx) ? "; Secure" : ""}`;
}

function cookieLine(ctx: Context, scope: Scope, value: string, seconds = cookieSeconds[scope.kind]): string {
  return line(ctx, cookieName(ctx, scope), value, seconds);
}

function expired(ctx: Context, name: string): string {
  return line(ctx, name, "", 0);
}

function browserWith(ctx: Context, cookie: string, { kind, key }: Scope, setCookie: string | undefined): Browser {
  let formToken: string | undefined;
  return {
    digest: digestOf(cookie),
    // Computed on demand: most requests need no token, and a redisplayed form needs it twice.
    get formToken() {
      return (formToken ??= ctx.keyring.mac("form", cookie, kind, key).toString("base64url"));
    },
    setCookie,
    lasting: (seconds) => cookieLine(ctx, { kind, key }, cookie, Math.max(seconds, cookieSeconds[kind])),
  };
}

function knownCookie(ctx: Context, request: HttpRequest, scope: Scope): string | undefined {
  const cookie = request.cookies().get(cookieName(ctx, scope));
  return cookie !== undefined && cookieForm.test(cookie) ? cookie : undefined;
}

/** A new cookie whatever the browser sent, against session fixation. */
export function renew(ctx: Context, scope: Scope): Browser {
  const cookie = newSecret(ctx.random);
  return browserWith(ctx, cookie, scope, cookieLine(ctx, scope, cookie));
}

/** The browser that sent a request; a new cookie if it has none. */
export function meet(ctx: Context, request: HttpRequest, scope: Scope): Browser {
  const cookie = knownCookie(ctx, request, scope);
  return cookie === undefined ? renew(ctx, scope) : browserWith(ctx, cookie, scope, undefined);
}

/** The digests of all cookies of a request that could be browsers of some scope. */
export function digests(ctx: Context, request: HttpRequest): string[] {
  const ours = [...request.cookies()].filter(
    ([name]) => name.startsWith(cookiePrefix(ctx)) && !name.startsWith(signInCookiePrefix(ctx)),
  );
  return ours.slice(0, maxScopes).flatMap(([, value]) => (cookieForm.test(value) ? [digestOf(value)] : []));
}

/**
 * The cookie line that extends the cookie to the lifetime of a mail; undefined if the browser
 * has none.
 */
export function keepForMail(ctx: Context, request: HttpRequest, scope: Scope): string | undefined {
  const cookie = knownCookie(ctx, request, scope);
  return cookie === undefined ? undefined : cookieLine(ctx, scope, cookie, mailSeconds);
}

/**
 * The lines that remove the oldest sign-in cookies when there are too many. Browsers send the
 * oldest first (RFC 6265 §5.4).
 */
export function surplus(ctx: Context, request: HttpRequest): string[] {
  const names = [...request.cookies().keys()].filter(
    (name) => name.startsWith(signInCookiePrefix(ctx)) && /^[\w-]+$/u.test(name),
  );
  return names.slice(0, -maxSignInCookies).map((name) => expired(ctx, name));
}

/** The last method used in this browser, or "oauth.PROVIDER". */
export function usedLast(ctx: Context, request: HttpRequest, appId: string): string | undefined {
  const value = request.cookies().get(cookieName(ctx, { kind: "used-last", key: appId }));
  return value !== undefined && usedLastForm.test(value) ? value : undefined;
}

/** The cookie line that stores it, for finished sign-ins only. */
export function usedLastCookie(ctx: Context, appId: string, way: string): string {
  return cookieLine(ctx, { kind: "used-last", key: appId }, way);
}

type CameBy = { organizationId: string; userId: string };

/**
 * The organizations by whose providers people of this browser came, the last first. Anybody can
 * write a cookie: only `isKnownHere` says whether it is true.
 */
export function companies(ctx: Context, request: HttpRequest, appId: string): CameBy[] {
  const value = request.cookies().get(cookieName(ctx, { kind: "company", key: appId })) ?? "";
  if (!companiesForm.test(value)) return [];
  return value.split("~").flatMap((pair) => {
    const [organizationId, userId] = pair.split(".");
    return organizationId !== undefined && userId !== undefined ? [{ organizationId, userId }] : [];
  });
}

/** The cookie line that puts one first. */
export function companyCookie(ctx: Context, request: HttpRequest, appId: string, last: CameBy): string {
  const others = companies(ctx, request, appId).filter(({ organizationId }) => organizationId !== last.organizationId);
  const pairs = [last, ...others].slice(0, maxCompanies).map((each) => `${each.organizationId}.${each.userId}`);
  return cookieLine(ctx, { kind: "company", key: appId }, pairs.join("~"));
}

/** The lines that forget them: a person came by a method of their own. */
export function forgetCompanies(ctx: Context, request: HttpRequest, appId: string): string[] {
  const scope = { kind: "company", key: appId } as const;
  return request.cookies().has(cookieName(ctx, scope)) ? [forget(ctx, scope)] : [];
}

/** Cookies after which a browser is nobody's at an application, and nothing signs in by itself. */
export function forgetPerson(ctx: Context, request: HttpRequest, appId: string): string[] {
  return [forget(ctx, { kind: "account", key: appId }), ...forgetCompanies(ctx, request, appId)];
}

/** The line that removes a cookie. */
function forget(ctx: Context, scope: Scope): string {
  return expired(ctx, cookieName(ctx, scope));
}

/** Whether the browser says that another site caused this request. */
export function isCrossSite(ctx: Pick<Context, "baseUrl">, request: HttpRequest): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = request.header("origin");
  // Under `Referrer-Policy: no-referrer`, older browsers send "null" with our own forms: then
  // only the form token decides.
  return origin !== undefined && origin !== "null" && origin !== ctx.baseUrl;
}

export function ownsForm(browser: Pick<Browser, "formToken">, formTokenSent: string | undefined): boolean {
  const sent = Buffer.from(formTokenSent ?? "");
  const expected = Buffer.from(browser.formToken);
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
