import { isIP } from "node:net";

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
