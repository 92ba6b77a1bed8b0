import { BlockList, isIP } from "node:net";
import { hostOf, isLoopbackHost } from "../lib/loopback.ts";

/** Where webhooks may go beside https on the internet. */
export type TargetPolicy = {
  /** Addresses that only we can reach: for one's own network, and in development. */
  privateNetworks: boolean;
  /** http at all: nowhere, to this machine, or (development mode) anywhere. */
  plainHttp: "none" | "this-machine" | "any";
};

export function targetPolicy({
  dev,
  allowPrivateNetworks,
}: {
  dev: boolean;
  allowPrivateNetworks: boolean;
}): TargetPolicy {
  return {
    privateNetworks: dev || allowPrivateNetworks,
    plainHttp: dev ? "any" : allowPrivateNetworks ? "this-machine" : "none",
  };
}

const mostCharacters = 2048;
/** Below 1024 stand the services that a request must never be made to talk to: mail, remote shells, databases of old. */
const lowestOtherPort = 1024;

/** What of IPv4 is not public unicast: https://www.iana.org/assignments/iana-ipv4-special-registry, multicast and the reserved rest. */
const special4 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  special4.addSubnet(network, prefix, "ipv4");
}

/** The one block of IPv6 that global unicast addresses come from; loopback, mapped, NAT64, unique local, link-local and multicast all lie outside. */
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/** And what is special within it: protocol assignments with Teredo, documentation, 6to4, which carries an IPv4 address of anybody's choice. */
const special6 = new BlockList();
special6.addSubnet("2001::", 23, "ipv6");
special6.addSubnet("2001:db8::", 32, "ipv6");
special6.addSubnet("2002::", 16, "ipv6");
special6.addSubnet("3fff::", 20, "ipv6");

/** Whether an IP address, in any spelling that `net.isIP` knows, belongs to the internet at large. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, "ipv4");
  // A zone (`%eth0`) is only ever needed for what is not global.
  if (family !== 6 || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/** Names that never lead out of a machine or network (RFC 6761, RFC 6762, RFC 8375, and what routers make up). */
const privateNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/u;

/** Whether a host as `URL` spells it can be public at all. What a name stands for is seen when it is connected to. */
function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !privateNames.test(host);
}

/**
 * Why webhooks cannot be sent to this address, or undefined when they can. The host is judged as `URL` reads it, so decimal, octal, hexadecimal and
 * percent-encoded spellings of an address are that address. Nothing is looked up: a refusal would tell strangers what our resolver knows.
 */
export function targetProblem(text: string, policy: TargetPolicy): string | undefined {
  if (text.length > mostCharacters) return `at most ${mostCharacters} characters`;
  if (!/^[\x21-\x7E]+$/u.test(text) || !URL.canParse(text)) return "an absolute URL";
  const url = new URL(text);
  const host = hostOf(url);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/u.test(text)) return "no user or password";
  if (text.includes("#")) return "no fragment";
  if (host.endsWith(".")) return "no dot at the end of the host";
  if (!policy.privateNetworks && !isPublicHost(host)) return "https on a public address";
  const isHttp = url.protocol === "http:";
  const mayBeHttp =
    policy.plainHttp === "any" || (policy.plainHttp === "this-machine" && isLoopbackHost(host, "localhost and below"));
  if (url.protocol !== "https:" && !(isHttp && mayBeHttp)) return "https";
  const port = url.port === "" ? undefined : Number(url.port);
  if (port === 0 || (!policy.privateNetworks && port !== undefined && port < lowestOtherPort)) {
    return `port 443, or ${lowestOtherPort} and above`;
  }
  return undefined;
}
