/** Cookies of protected hosts. Those of a host with a port are apart: browsers share them. */
import { withoutBlanks } from "../lib/text.ts";

function suffixOf(host: string): string {
  const [, port] = host.split(":");
  return port === undefined ? "" : `-${port}`;
}

/** The cookie by which somebody is signed in at a host. */
export function loginCookie(host: string): string {
  return `__Host-authsvc-proxy${suffixOf(host)}`;
}

/** The cookie that ties the end of a sign-in to the browser that began it. */
export function startCookie(host: string): string {
  return `__Host-authsvc-start${suffixOf(host)}`;
}

export function cookieLine(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax; Secure`;
}

/** The line that removes a cookie of this host, also one of its program. */
export function expiredLine(name: string): string {
  return `${name}=; Path=/; Max-Age=0; Secure`;
}

const ours = /^__Host-authsvc-(?:proxy|start)(?:-\d+)?$/u;

/** A Cookie header without ours, otherwise byte for byte; undefined if nothing is left. */
export function withoutOurs(header: string): string | undefined {
  const pairs = header.split(";");
  const others = pairs.filter((pair) => !ours.test(withoutBlanks(pair.split("=", 1)[0] ?? "")));
  if (others.length === pairs.length) return header;
  const left = withoutBlanks(others.join(";"));
  return left === "" ? undefined : left;
}
