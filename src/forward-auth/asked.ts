/** What a reverse proxy asks about, from the headers of its own family alone. */
import { hostFrom, isPlainPath } from "../applications/clients/proxy.ts";

/** `proxy`: Traefik, Caddy, HAProxy, Apache. `nginx`: nginx, which understands 200, 401 and 403. */
export type Door = "proxy" | "nginx";

export const doors: ReadonlyMap<string, Door> = new Map([
  ["/forward-auth", "proxy"],
  ["/auth-request", "nginx"],
]);

/** A request at a protected host. `uri`: its path and query, byte for byte. */
export type Asked = { door: Door; host: string; method: string; uri: string; path: string };

/** Why a door is closed: a header, and what it had. */
export type Malformed = { header: string; value: string };

/** Alternating names and values, as they came. */
type RawHeaders = readonly string[];

const families: Record<Door, readonly string[]> = {
  proxy: ["x-forwarded-proto", "x-forwarded-host", "x-forwarded-method", "x-forwarded-uri"],
  nginx: ["x-original-method", "x-original-url"],
};

/** A name as CGI and WSGI see it, where `Remote_User` and `Remote.User` are `Remote-User`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/gu, "-");
}

const method = /^[\w!#$%&'*+.^`|~-]+$/u;
/** Without a fragment, blanks and control characters. */
const target = /^\/[\u0021\u0022\u0024-\u007e\u0080-\u00ff]*$/u;
const address = /^(https|wss):\/\/([^/?#]*)(.*)$/iu;

/** A fact of the request, or why there is none. */
export function readAsked(door: Door, rawHeaders: RawHeaders): Asked | Malformed {
  const given = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    const plain = plainName(name);
    // Of two, nobody knows which one the program would believe.
    if (!families[door].includes(plain) && name.toLowerCase() !== "authorization") continue;
    if (plain !== name.toLowerCase() || given.has(plain)) return { header: name, value };
    given.set(plain, value);
  }
  for (const header of families[door]) if (!given.get(header)) return { header, value: "" };
  const [first, second] = families[door].map((name) => given.get(name) ?? "");
  return door === "nginx" ? readOriginal({ method: first ?? "", url: second ?? "" }) : readForwarded(given);
}

function readOriginal({ method: verb, url }: { method: string; url: string }): Asked | Malformed {
  const [, , authority = "", uri = ""] = address.exec(url) ?? [];
  const host = hostFrom(authority);
  if (host === undefined || !target.test(uri)) return { header: "x-original-url", value: url };
  return method.test(verb) ? asked("nginx", host, verb, uri) : { header: "x-original-method", value: verb };
}

function readForwarded(given: ReadonlyMap<string, string>): Asked | Malformed {
  const of = (name: string): string => given.get(`x-forwarded-${name}`) ?? "";
  const bad = (name: string): Malformed => ({ header: `x-forwarded-${name}`, value: of(name) });
  if (!/^(?:https|wss)$/iu.test(of("proto"))) return bad("proto");
  const host = hostFrom(of("host"));
  if (host === undefined) return bad("host");
  if (!method.test(of("method"))) return bad("method");
  return target.test(of("uri")) ? asked("proxy", host, of("method"), of("uri")) : bad("uri");
}

function asked(door: Door, host: string, verb: string, uri: string): Asked {
  const [path = ""] = uri.split("?", 1);
  return { door, host, method: verb, uri, path };
}

/** All values of a header in one, as a list; undefined if it is missing. */
export function headerIn(rawHeaders: RawHeaders, wanted: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === wanted)
      found =
        found === undefined ? rawHeaders[at + 1] : `${found}${wanted === "cookie" ? "; " : ", "}${rawHeaders[at + 1]}`;
  return found;
}

/** Whether a path is one of these or below, as every program reads it. */
export function isBelow(path: string, prefixes: readonly string[]): boolean {
  return isPlainPath(path) && prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
