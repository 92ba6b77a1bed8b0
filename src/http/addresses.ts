import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { amongNetworks, networkOf } from "../lib/networks.ts";
import type { EndpointType } from "../lib/rate-limits.ts";
import { withoutBlanks } from "../lib/text.ts";

/** Determines client addresses behind trusted proxies. */
export type ClientAddresses = {
  isTrustedProxy(peer: string): boolean;
  /**
   * The client's address: the socket's peer, or what a trusted proxy reports. Canonical: IPv4 is
   * never written as IPv6.
   */
  clientAddress(peer: string | undefined, forwardedFor: string | undefined): string;
  /** The client address of a request. */
  of(message: IncomingMessage): string;
};

/**
 * `trustedProxies` are validated addresses or CIDRs. `onUnreadable` is called once, for a trusted
 * proxy that sends something other than an address.
 */
export function createClientAddresses(
  trustedProxies: readonly string[],
  onUnreadable: (proxy: string, claim: string) => void = () => {},
): ClientAddresses {
  const isTrustedProxy = amongNetworks(trustedProxies);
  let isTold = false;

  function clientAddress(peer: string | undefined, forwardedFor: string | undefined): string {
    let address = canonicalAddress(peer ?? "");
    // From right to left: each proxy appends its peer. Everything left of the first untrusted
    // address is that client's own claim.
    const claims = forwardedFor?.split(",") ?? [];
    while (isTrustedProxy(address)) {
      const claim = claims.pop();
      const next = claim === undefined ? "" : canonicalAddress(withoutPort(withoutBlanks(claim)));
      if (isIP(next) === 0) {
        if (claim !== undefined && !isTold) onUnreadable(address, claim.slice(0, 100));
        isTold ||= claim !== undefined;
        break;
      }
      address = next;
    }
    return address;
  }

  // All requests of an untrusted connection have the same address.
  const strangers = new WeakMap<Socket, string>();

  return {
    isTrustedProxy,
    clientAddress,
    of({ socket, headers }) {
      const remembered = strangers.get(socket);
      if (remembered !== undefined) return remembered;
      const forwardedFor = headers["x-forwarded-for"];
      const address = clientAddress(
        socket.remoteAddress,
        Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor,
      );
      if (!isTrustedProxy(canonicalAddress(socket.remoteAddress ?? ""))) strangers.set(socket, address);
      return address;
    },
  };
}

/**
 * Some proxies (Azure's, IIS) append the client's port: `203.0.113.9:4711`, `[2001:db8::9]:4711`.
 */
function withoutPort(claim: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/u.exec(claim) ?? [];
  return bracketed ?? plain ?? claim;
}

/**
 * One form per address: lower case, IPv4-mapped IPv6 as IPv4. Returns text that is not an address
 * unchanged.
 */
function canonicalAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const host = new URL(`http://[${address.replace(/%.*$/u, "")}]`).hostname.slice(1, -1);
  const words = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/u.exec(host);
  if (!words?.[1] || !words[2]) return host;
  const [high, low] = [Number.parseInt(words[1], 16), Number.parseInt(words[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The rate limit key of calls without a credential. */
export function addressKey(address: string): string {
  return `address:${networkOf(address)}`;
}

/** The more specific path first. */
const limitsOfPaths: [path: string, type: EndpointType][] = [
  ["/auth", "authentication"],
  ["/oauth", "authentication"],
  ["/users", "userManagement"],
  ["/api/user", "userManagement"],
  ["/applications", "applicationManagement"],
  ["/api", "applicationManagement"],
  ["/webhooks", "webhooks"],
];

/**
 * The limit for a path without a route (docs/spec/decisions.md, 12); undefined outside the API.
 * `path`: as the routes see it.
 */
export function limitOfUnknownPath(path: string): EndpointType | undefined {
  return limitsOfPaths.find(([top]) => path === top || path.startsWith(`${top}/`))?.[1];
}

/** One counter per kind of limit and caller. */
export function limitKey(type: EndpointType, caller: string): string {
  return `${type} ${caller}`;
}
