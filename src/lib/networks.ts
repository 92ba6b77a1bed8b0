import { BlockList, isIP, isIPv4 } from "node:net";

/**
 * The network by which an address is counted: the address itself, or its IPv6 /64, because one
 * subscriber has a whole one. Takes a canonical address.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const left = head.split(":").filter((word) => word !== "");
  const right = tail?.split(":").filter((word) => word !== "") ?? [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}

/** Tells whether an address is one of these, or in one of these networks (CIDR). */
export function amongNetworks(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
