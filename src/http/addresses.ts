import type { EndpointType } from "./route.ts";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, type Socket } from "node:net";

/** Whose word about a client's address is taken. */
export type ClientAddresses = {
  isTrustedProxy(peer: string): boolean;
  /** The client's address: the socket's peer, or what a trusted proxy says of it. Canonical: IPv4 is never written as IPv6. */
  clientAddress(peer: string | undefined, forwardedFor: string | undefined): string;
  /** The same of a request. */
  of(message: IncomingMessage): string;
};

/** `trustedProxies` are addresses or CIDRs, already checked. */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const proxies = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }

  function isTrustedProxy(address: string): boolean {
    return isIP(address) !== 0 && proxies.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }

  function clientAddress(peer: string | undefined, forwardedFor: string | undefined): string {
    let address = canonicalAddress(peer ?? "");
    // From right to left: each proxy appends the peer that it saw, so everything left of the first stranger is the stranger's own claim.
    const claims = forwardedFor?.split(",") ?? [];
    while (isTrustedProxy(address)) {
      const claim = claims.pop();
      const next = claim === undefined ? "" : canonicalAddress(claim.trim());
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  }

  // What a stranger's connection comes from is the same with every request on it.
  const strangers = new WeakMap<Socket, string>();

  return {
    isTrustedProxy,
    clientAddress,
    of({ socket, headers }) {
      const known = strangers.get(socket);
      if (known !== undefined) return known;
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

/** One spelling per address: lower case, IPv4-mapped IPv6 as IPv4. Text that is not an address is returned as it is. */
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

/** What is counted for an address: itself, or its /64, since one subscriber owns a whole one. Takes a canonical address. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const left = head.split(":").filter((word) => word !== "");
  const right = tail?.split(":").filter((word) => word !== "") ?? [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}

/** What calls without a credential of their own are counted by. */
export function addressKey(address: string): string {
  return `address:${networkOf(address)}`;
}

/** The more special path first. */
const limitsOfPaths: [path: string, type: EndpointType][] = [
  ["/auth", "authentication"],
  ["/oauth", "authentication"],
  ["/users", "userManagement"],
  ["/api/user", "userManagement"],
  ["/applications", "applicationManagement"],
  ["/api", "applicationManagement"],
  ["/webhooks", "webhooks"],
];

/** What a path counts as that no route answers (decision 12); undefined for one outside of the API. `path`: as asked for, with its query. */
export function limitOfPath(path: string): EndpointType | undefined {
  const [start = ""] = path.split("?", 1);
  return limitsOfPaths.find(([top]) => start === top || start.startsWith(`${top}/`))?.[1];
}

/** One counter for each kind of limit and caller. */
export function limitKey(type: EndpointType, caller: string): string {
  return `${type} ${caller}`;
}
