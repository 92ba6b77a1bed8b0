import { setNewest } from "./recent.ts";
import { configurationError } from "./settings.ts";

const maxPerMinute = 10;
const minute = 60_000;
/** About 100 bytes each. The oldest are forgotten first. */
const maxVisitors = 10_000;
const maxProxies = 10;

/** Loopback, private and link-local addresses: a proxy, or this machine. */
const isPrivate = /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|(?:::1|::|)$|f[cd]|fe[89ab])/u;

/** Limits the starts of one visitor, so that nobody uses up the application's limit. */
export function createStartLimit(trustedProxies: number | undefined, now: () => number) {
  const isNumber =
    Number.isInteger(trustedProxies) && Number(trustedProxies) >= 0 && Number(trustedProxies) <= maxProxies;
  if (trustedProxies !== undefined && !isNumber)
    throw configurationError(
      `trustedProxies must be a whole number from 0 to ${maxProxies}: how many proxies there are.`,
    );
  const visitors = new Map<string, { starts: number; since: number }>();

  /** Counts a start. The seconds to wait if it is one too many, else undefined. */
  return (peer: string | undefined, forwardedFor: string | null): number | undefined => {
    const visitor = visitorOf(peer, forwardedFor, trustedProxies);
    if (visitor === undefined) return undefined;
    let counted = visitors.get(visitor);
    // A clock may be set back.
    if (!counted || Math.abs(now() - counted.since) >= minute) {
      counted = { starts: 0, since: now() };
      setNewest(visitors, visitor, counted, maxVisitors);
    }
    counted.starts += 1;
    return counted.starts <= maxPerMinute ? undefined : Math.max(1, Math.ceil((counted.since + minute - now()) / 1000));
  };
}

/**
 * The visitor's network; undefined if it is unknown. Without the setting, a private or unknown peer
 * is one proxy, and a private address is nobody's, because many may share it.
 */
function visitorOf(peer = "", forwardedFor: string | null, trustedProxies?: number): string | undefined {
  const claims = forwardedFor?.split(",").slice(-maxProxies) ?? [];
  const chain = [...claims, peer].map(canonical);
  const proxies = trustedProxies ?? (isPrivate.test(canonical(peer)) ? 1 : 0);
  // Each proxy appends its peer. What is left of the visitor's address is the visitor's own claim.
  const address = chain.at(-1 - proxies) ?? chain[0] ?? "";
  const isUnknown = address === "" || (trustedProxies === undefined && isPrivate.test(address));
  return isUnknown ? undefined : networkOf(address);
}

/** Without the port that some proxies append, in one form for each address; empty if it is none. */
function canonical(claim: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/u.exec(claim.trim()) ?? [];
  const address = (bracketed ?? plain ?? claim.trim()).toLowerCase().replace(/%.*$/u, "");
  const url = `http://[${address}]`;
  if (!URL.canParse(url)) return /^\d{1,3}(?:\.\d{1,3}){3}$/u.test(address) ? address : "";
  const host = new URL(url).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/u.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  return [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]).join(".");
}

/** A subscriber has a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const left = head.split(":").filter(Boolean);
  const right = tail?.split(":").filter(Boolean) ?? [];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
