import { invalidRequest } from "./errors.ts";
import { hostOf, isLoopbackHost } from "./loopback.ts";
import { hasPlainHost, plainTextProblem } from "./text.ts";

const maxCharacters = 2048;
const maxRedirectUris = 50;
/** Ends the demo page's redirect URI, in development. */
export const demoCallbackPath = "/dev/demo/callback";
/**
 * RFC 8252 §7.1: a private-use scheme is a reversed domain name. It contains a dot, so it is never
 * javascript:, data: or file:.
 */
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/u;

/**
 * Why an address cannot be registered as a redirect URI; undefined if it can. Registered addresses
 * are compared as exact strings (RFC 9700 §4.1.3), so an address must be in the form that browsers
 * normalise to.
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > maxCharacters) return `at most ${maxCharacters} characters`;
  const plainProblem = plainTextProblem(uri);
  if (plainProblem !== undefined) return plainProblem;
  if (uri.includes("*")) return "no wildcard";
  if (uri.includes("#")) return "no fragment";
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return "an absolute URL";
  }
  if (url.username !== "" || url.password !== "") return "no user or password";
  if (url.href !== uri && url.href !== `${uri}/`) return `written in its normal form, as a browser shows it`;
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  if (isWeb && !hasPlainHost(url)) return "a host of letters, digits, '.' and '-' (or an IP address)";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return isLoopbackHost(hostOf(url), "localhost and below")
      ? undefined
      : "https (http only for localhost, 127.0.0.1 and [::1])";
  return privateUseScheme.test(url.protocol)
    ? undefined
    : "https, or a private-use scheme with a dot such as com.example.app:/callback";
}

/**
 * The origins of an application's redirect URIs, as browsers send them in `Origin`. Cut from the
 * text, which is already normalised. Mobile apps (private-use schemes) have no origin.
 */
export function originsOf(redirectUris: string[]): string[] {
  return redirectUris.flatMap((uri) => /^https?:\/\/[^/?]+/u.exec(uri) ?? []);
}

/** The addresses without duplicates. Throws INVALID_REQUEST naming the first invalid one. */
export function checkedRedirectUris(
  uris: readonly string[],
  field = "redirectUris",
  problemOf: (uri: string) => string | undefined = redirectUriProblem,
): string[] {
  if (uris.length > maxRedirectUris) throw invalidRequest(field, `at most ${maxRedirectUris}`);
  for (const [position, uri] of uris.entries()) {
    const problem = problemOf(uri);
    if (problem !== undefined) throw invalidRequest(`${field}[${position}]`, problem);
  }
  return [...new Set(uris)];
}

/** Adds parameters to `uri`. Keeps the existing query unchanged; values arrive byte for byte. */
export function withParameters(uri: string, parameters: Record<string, string>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (pairs.length === 0) return uri;
  const separator = !uri.includes("?") ? "?" : uri.endsWith("?") || uri.endsWith("&") ? "" : "&";
  return `${uri}${separator}${pairs.join("&")}`;
}

const loopbackForm = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/u;

/**
 * Whether a redirect URI is among the registered ones, as an exact string. `anyLoopbackPort`:
 * native programs choose their port when they start (RFC 8252 §7.3, RFC 9700 §2.1).
 */
export function isRegistered(
  uri: string,
  registered: readonly string[],
  { anyLoopbackPort }: { anyLoopbackPort: boolean },
): boolean {
  if (registered.includes(uri)) return true;
  if (!anyLoopbackPort || !loopbackForm.test(uri) || redirectUriProblem(uri) !== undefined) return false;
  const portless = (loopback: string): string => loopback.replace(loopbackForm, "$1");
  return registered.some(
    (registeredUri) => loopbackForm.test(registeredUri) && portless(registeredUri) === portless(uri),
  );
}

/** The front page of a redirect URI's origin. */
export function originPage(redirectUri: string): string | undefined {
  const { origin } = new URL(redirectUri);
  return origin === "null" ? undefined : `${origin}/`;
}
