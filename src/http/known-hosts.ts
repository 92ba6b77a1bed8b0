import type { IncomingMessage } from "node:http";
import { hostOf, isLoopbackHost } from "../lib/loopback.ts";

/**
 * Whether a request names this service in its Host header: as one of `hosts`, or this machine. A
 * web page can point its own name at our address (DNS rebinding), but the header shows that name.
 */
export function knownHosts(hosts: readonly string[]): (message: IncomingMessage) => boolean {
  const known = new Set(hosts.map(canonical));
  return ({ headers, socket }) => {
    const url = `http://${headers.host ?? ""}`;
    if (!URL.canParse(url)) return false;
    const host = hostOf(url);
    // On a socket that listens on ::, IPv4 addresses begin with ::ffff:.
    const isOwnAddress = host === socket.localAddress?.replace(/^::ffff:(?=\d+\.)/u, "");
    return isOwnAddress || isLoopbackHost(host) || known.has(host);
  };
}

/** In the form that `hostOf` reads from a URL. */
function canonical(host: string): string | undefined {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`;
  return URL.canParse(url) ? hostOf(url) : undefined;
}
