/** The rules of what only clients of kind `proxy` have (docs/spec/protecting.md, 1). */
import { invalidRequest } from "../../lib/errors.ts";
import type { ProxyHeader, ProxySettings } from "../../storage/column-types.ts";

const maxHosts = 20;
const maxPublicPaths = 50;
const maxHeaders = 20;

/** The header of the signed statement of who it is; `headers` only names it. */
export const assertionHeader = "X-Authsvc-Assertion";

export const defaultHeaders: readonly ProxyHeader[] = [
  { name: "Remote-User", from: "id" },
  { name: "Remote-Email", from: "email" },
  { name: "Remote-Name", from: "name" },
  { name: "Remote-Groups", from: "groups" },
];

/** The fields of a client that only kind `proxy` has. */
export const proxyFields = [
  "hosts",
  "publicPaths",
  "access",
  "sessionSeconds",
  "headers",
  "basicChallenge",
  "passTokens",
] as const satisfies (keyof ProxySettings)[];

const label = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const hostForm = new RegExp(`^(${label}(?:\\.${label})*)(?::([1-9]\\d{0,4}))?$`, "u");

/** A host as stored: in lower case, without port 443. Undefined if it is none. */
export function hostFrom(text: string): string | undefined {
  const [, name = "", port] = hostForm.exec(text.toLowerCase()) ?? [];
  if (name === "" || name.length > 253 || Number(port ?? 443) > 65_535) return undefined;
  return port === undefined || port === "443" ? name : `${name}:${port}`;
}

/** Whether a client's hosts admit somebody of these groups. */
export function admitsGroups(
  { proxy, allowedGroups }: { proxy: Pick<ProxySettings, "access">; allowedGroups: string[] | null },
  groups: readonly string[],
): boolean {
  return proxy.access === "everyone" || (allowedGroups ?? []).some((name) => groups.includes(name));
}

/** The host without its port. */
export function nameOfHost(host: string): string {
  return host.replace(/:\d+$/u, "");
}

/** In the form of the store, each once. Throws INVALID_REQUEST naming the entry. */
export function checkedHosts(given: readonly string[]): string[] {
  if (given.length < 1 || given.length > maxHosts) throw invalidRequest("hosts", `1 to ${maxHosts} hosts`);
  const hosts = given.map((text, index) => {
    const host = hostFrom(text);
    if (host === undefined)
      throw invalidRequest(
        `hosts[${index}]`,
        "a host name without scheme, path or wildcard, with its port where that is not 443",
      );
    return host;
  });
  return [...new Set(hosts)].toSorted();
}

/** Letters, digits and what needs no escape; no empty or dot segment, but one slash at the end. */
const plainPath = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z\d\-._~!$&'()*+,=:@]+)*\/?$/u;

/** Whether a path means the same to every program (docs/spec/protecting.md, 3). */
export function isPlainPath(path: string): boolean {
  return path.startsWith("/") && plainPath.test(path);
}

/** Without a slash at the end, each once. Throws INVALID_REQUEST naming the entry. */
export function checkedPublicPaths(given: readonly string[]): string[] {
  if (given.length > maxPublicPaths) throw invalidRequest("publicPaths", `at most ${maxPublicPaths}`);
  const paths = given.map((path, index) => {
    if (path.length > 500 || !isPlainPath(path) || path === "/")
      throw invalidRequest(
        `publicPaths[${index}]`,
        "a path such as /public, of letters, digits and - . _ ~ ! $ & ' ( ) * + , = : @ /; not / itself",
      );
    return path.replace(/\/$/u, "");
  });
  return [...new Set(paths)].toSorted();
}

const sources = ["id", "email", "name", "groups"];
const identities = ["id", "email"];
/** Where a value of the person may come from, with a key behind it. */
const keyedSource = /^(?:private|profile)\.[A-Za-z\d_-]{1,64}$/u;

/**
 * Headers that mean something to the connection, to the door itself, or to browsers: a program must
 * not get them from an answer.
 */
const otherMeaning =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|expect|host|cookie|set-cookie|authorization|date|location|www-authenticate|cache-control|vary|server|via|forwarded|x-forwarded-.*|x-original-.*|x-real-ip|sec-.*|origin|accept|accept-.*|referer|user-agent|x-requested-with|hx-request|turbo-frame|if-.*|range|access-control-.*|x-authsvc-.*|authsvc-.*|http2-settings|priority|traceparent|tracestate|.*-omitted)$/u;

/** A header as it is typed: `Remote-User=id`. Throws INVALID_REQUEST. */
export function headerFrom(line: string): ProxyHeader {
  const at = line.indexOf("=");
  if (at === -1) throw invalidRequest("headers", "NAME=SOURCE, such as Remote-User=id");
  return { name: line.slice(0, at), from: line.slice(at + 1) };
}

/** Throws INVALID_REQUEST naming the entry. */
export function checkedHeaders(given: readonly ProxyHeader[]): ProxyHeader[] {
  if (given.length < 1 || given.length > maxHeaders) throw invalidRequest("headers", `1 to ${maxHeaders} headers`);
  const names = new Set<string>();
  return given.map(({ name, from }, index) => {
    const at = `headers[${index}]`;
    const lower = name.toLowerCase();
    if (lower === assertionHeader.toLowerCase()) {
      if (from !== "assertion" || index === 0 || names.has(lower))
        throw invalidRequest(at, `${assertionHeader}=assertion, once, and not the first one`);
      names.add(lower);
      return { name: assertionHeader, from };
    }
    if (!/^[A-Za-z\d](?:[A-Za-z\d-]{0,62}[A-Za-z\d])?$/u.test(name))
      throw invalidRequest(at, "a name of letters, digits and -, at most 64");
    if (otherMeaning.test(lower)) throw invalidRequest(at, `another name: ${name} has a meaning in HTTP or here`);
    if (names.has(lower)) throw invalidRequest(at, "a name that no other header has");
    names.add(lower);
    if (!sources.includes(from) && !keyedSource.test(from))
      throw invalidRequest(at, "from id, email, name, groups, private.KEY or profile.FIELD");
    if (index === 0 && !identities.includes(from) && !keyedSource.test(from))
      throw invalidRequest(at, "from id, email, private.KEY or profile.FIELD: the first header says who it is");
    return { name, from };
  });
}
