import { BlockList, isIP } from "node:net";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import { plainTextProblem } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";

/** Allowed targets of webhooks besides https on the internet. */
export type TargetPolicy = {
  /** Addresses that only we can reach: for private networks, and in development. */
  privateNetworks: boolean;
  /** Plain http: nowhere, to this machine, or (development mode) anywhere. */
  plainHttp: "none" | "this-machine" | "any";
  /** The setting that allows private networks, where those who are refused may know it. */
  setting?: string;
};

/** Allows private networks for what operators and applications name. */
export const webhooksSetting = "webhooks.allowPrivateNetworks";

export function policyOf({ isDevelopment, config }: Pick<Context, "isDevelopment" | "config">): TargetPolicy {
  const { allowPrivateNetworks } = config.webhooks;
  return {
    privateNetworks: isDevelopment || allowPrivateNetworks,
    plainHttp: isDevelopment ? "any" : allowPrivateNetworks ? "this-machine" : "none",
    setting: webhooksSetting,
  };
}

const maxCharacters = 2048;
/**
 * Below 1024 are services that must never receive our requests, such as mail, remote shells and old
 * databases.
 */
const lowestOtherPort = 1024;

/**
 * IPv4 addresses that are not public unicast:
 * https://www.iana.org/assignments/iana-ipv4-special-registry, multicast and the reserved rest.
 */
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

/**
 * The only IPv6 block of global unicast addresses; loopback, mapped, NAT64, unique local,
 * link-local and multicast are outside.
 */
const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");

/**
 * The special blocks in it: protocol assignments with Teredo, documentation, and 6to4, which embeds
 * any IPv4 address.
 */
const special6 = new BlockList();
special6.addSubnet("2001::", 23, "ipv6");
special6.addSubnet("2001:db8::", 32, "ipv6");
special6.addSubnet("2002::", 16, "ipv6");
special6.addSubnet("3fff::", 20, "ipv6");

/** Whether an IP address, in any notation that `net.isIP` accepts, is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, "ipv4");
  // Zones (`%eth0`) are only needed for addresses that are not global.
  if (family !== 6 || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/**
 * Names that always stay within a machine or network (RFC 6761, RFC 6762, RFC 8375, and common
 * router names).
 */
const privateNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/u;

/**
 * Whether a host, as `URL` writes it, can be public at all. Its addresses are checked when
 * connecting.
 */
export function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !privateNames.test(host);
}

/**
 * Why webhooks cannot be sent to this URL; undefined if they can. `URL` parses the host, so
 * decimal, octal, hexadecimal and percent-encoded forms of an address are recognised. No lookup: a
 * refusal would reveal what our resolver knows.
 */
export function targetProblem(text: string, policy: TargetPolicy): string | undefined {
  if (text.length > maxCharacters) return `at most ${maxCharacters} characters`;
  const plainProblem = plainTextProblem(text);
  if (plainProblem !== undefined) return plainProblem;
  if (!URL.canParse(text)) return "an absolute URL";
  const url = new URL(text);
  const host = hostOf(url);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/u.test(text)) return "no user or password";
  if (text.includes("#")) return "no fragment";
  if (host.endsWith(".")) return "no dot at the end of the host";
  if (!policy.privateNetworks && !isPublicHost(host))
    return `an https URL on a public address${policy.setting === undefined ? "" : `, unless ${policy.setting} is on`}`;
  const isHttp = url.protocol === "http:";
  const mayBeHttp =
    policy.plainHttp === "any" || (policy.plainHttp === "this-machine" && isLoopbackHost(host, "localhost and below"));
  if (url.protocol !== "https:" && !(isHttp && mayBeHttp)) return "an https URL";
  const port = url.port === "" ? undefined : Number(url.port);
  if (port === 0 || (!policy.privateNetworks && port !== undefined && port < lowestOtherPort)) {
    return `port 443, or ${lowestOtherPort} and above`;
  }
  return undefined;
}
