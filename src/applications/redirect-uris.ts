import { hostOf, isLoopbackHost } from "../lib/loopback.ts";

const mostCharacters = 2048;
/** RFC 8252 §7.1: a private-use scheme is a reversed domain name, so it has a dot (and is never javascript:, data: or file:). */
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/u;

/**
 * Why an address cannot be registered as a redirect URI, or undefined when it can. Registered addresses are compared as exact
 * strings (RFC 9700 §4.1.3), so an address must already be spelled the way a browser would spell it: what is compared is what is visited.
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > mostCharacters) return `at most ${mostCharacters} characters`;
  if (!/^[\x21-\x7E]+$/u.test(uri)) return "printable ASCII without spaces";
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
 * The origins of the pages that an application's redirect URIs lead to, as browsers write them in `Origin`. Cut out as text, because an
 * address is registered in its normal form only. Apps on phones (private-use schemes) have none.
 */
export function originsOf(redirectUris: string[]): string[] {
  return redirectUris.flatMap((uri) => /^https?:\/\/[^/?]+/u.exec(uri) ?? []);
}
