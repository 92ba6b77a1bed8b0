import { BlockList, isIP, isIPv4 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * The host of a URL without the brackets of an IPv6 address, as `isLoopbackHost` and
 * `addressFamily` expect it.
 */
export function hostOf(url: string | URL): string {
  return new URL(url).hostname.replace(/^\[|\]$/gu, "");
}

/** A host as URLs write it: an IPv6 address in brackets. */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * Like `net.isIP`: 4, 6, or 0 for a name. Names skip the IPv6 pattern, which takes 4 ms to compile
 * at the start of each command.
 */
export function addressFamily(host: string): number {
  if (host.includes(":")) return isIP(host);
  return isIPv4(host) ? 4 : 0;
}

/**
 * Whether an address or host name (without brackets or port) always means this machine.
 * `*.localhost` counts only if `names` says so: browsers resolve it themselves (RFC 6761 section
 * 6.3), a listening socket relies on the system's resolver.
 */
export function isLoopbackHost(host: string, names: "localhost" | "localhost and below" = "localhost"): boolean {
  const family = addressFamily(host);
  if (family !== 0) return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
  const name = host.toLowerCase();
  return name === "localhost" || (names === "localhost and below" && name.endsWith(".localhost"));
}
