import { withoutBlanks } from "../lib/text.ts";

/**
 * The cookies of a header, in its order. Only space and tab surround a name or value: to a browser,
 * a name that begins with any other byte has no `__Host-` prefix. A name that comes twice counts as
 * none, because one of the two may be another host's (docs/decisions/0047).
 */
export function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of header.split(";")) {
    const separator = pair.indexOf("=");
    if (separator === -1) continue;
    const name = withoutBlanks(pair.slice(0, separator));
    if (cookies.has(name)) repeated.add(name);
    cookies.set(name, withoutBlanks(pair.slice(separator + 1)));
  }
  for (const name of repeated) cookies.delete(name);
  return cookies;
}
