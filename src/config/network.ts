import { isIP } from "node:net";
import { addressFamily, hostOf, isLoopbackHost } from "../lib/loopback.ts";

/**
 * An address such as `10.0.0.7` or `::1`, or a network such as `10.0.0.0/8`. No zone (`%eth0`):
 * zones are local to one machine.
 */
export function isAddressOrNetwork(value: string): boolean {
  const [address = "", prefix, ...rest] = value.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return false;
  return prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** An IP address or a host name of letters, digits and hyphens (RFC 1123 section 2.1). */
export function isHost(value: string): boolean {
  if (addressFamily(value) !== 0) return true;
  return value.length <= 253 && /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?)(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i.test(value);
}

/**
 * `https://host[:port]` in canonical form (no trailing slash, default port omitted); `undefined` if
 * invalid.
 */
export function canonicalOrigin(value: string): string | undefined {
  // Checks the text: the URL class accepts spaces, backslashes, an empty query and `https:host`.
  if (!/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.port === "0" ? undefined : url.origin;
}

/** `HOST:PORT`, with an IPv6 address in brackets; `undefined` if invalid. */
export function parseListen(value: string): { host: string; port: number } | undefined {
  const [, bracketed, plain = bracketed, digits = ""] = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/u.exec(value) ?? [];
  const port = Number(digits);
  return plain !== undefined && isHost(plain) && port <= 65_535 ? { host: plain, port } : undefined;
}

/** An https URL with a path at most; http only of this machine. */
export function isReleasesUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/iu.test(value) || !URL.canParse(value)) return false;
  return /^https:/iu.test(value) || isLoopbackHost(hostOf(value));
}

/** As issuers of OpenID Connect are written: no query, no fragment, no user name. */
export function isPrivateIssuer(value: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/u.test(value) || !URL.canParse(value)) return false;
  return value.startsWith("https:") || isLoopbackHost(hostOf(value), "localhost and below");
}

/** The address of a name server, optionally with a port: `10.0.0.53`, `[fd00::53]:5353`. */
export function nameServerHost(value: string): string | undefined {
  if (value.includes("%")) return undefined;
  if (isIP(value) !== 0) return value;
  const { host = "", port } = parseListen(value) ?? {};
  const family = value.startsWith("[") ? 6 : 4;
  return port !== 0 && isIP(host) === family ? host : undefined;
}

const syslogPort = 6514;

/** `tls://HOST`, optionally with a port, and nothing else; undefined if invalid. */
export function parseSyslogUrl(value: string): { host: string; port: number } | undefined {
  const [, place = ""] = /^tls:\/\/([^\s/?#@\\]+)\/?$/iu.exec(value) ?? [];
  const withPort = parseListen(place);
  if (withPort) return withPort.port === 0 ? undefined : withPort;
  const host = place.replace(/^\[(.*)\]$/u, "$1");
  return isHost(host) && place.startsWith("[") === host.includes(":") ? { host, port: syslogPort } : undefined;
}

/** How long an action is kept: `user.login=365`; `sign-in=30` is also all that begin with it. */
export function parseRetention(value: string): { action: string; days: number } | undefined {
  const [, action, digits] = /^([a-z][a-z-]*(?:\.[a-z][a-z-]*)*)=(\d{1,4})$/u.exec(value) ?? [];
  const days = Number(digits);
  return action !== undefined && days >= 7 && days <= 3650 ? { action, days } : undefined;
}
