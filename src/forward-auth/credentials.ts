/** The `Authorization` of a check: a token of ours to decide by, and what the program gets. */
import { containsCredential } from "../lib/credentials.ts";
import { headerIn } from "./asked.ts";

type RawHeaders = readonly string[];

const scheme = /^(bearer|basic) +(\S+)$/iu;

/** The name and password of Basic authentication, as Latin 1. */
function basicOf(encoded: string): { password: string; both: string } {
  const both = Buffer.from(encoded, "base64").toString("latin1");
  const colon = both.indexOf(":");
  return { both, password: colon === -1 ? "" : both.slice(colon + 1) };
}

/**
 * A link `https://x:TOKEN@host/` of somebody else must not sign a browser in
 * (docs/spec/protecting.md, 4).
 */
function takesPassword(rawHeaders: RawHeaders): boolean {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (!names.some((name) => name.startsWith("sec-fetch-") || name === "origin")) return true;
  return (
    headerIn(rawHeaders, "sec-fetch-site") === "same-origin" && headerIn(rawHeaders, "sec-fetch-mode") !== "navigate"
  );
}

/** What may be a token: after Bearer, or a password of Basic. Never its name, which proxies log. */
export function presentedToken(rawHeaders: RawHeaders): string | undefined {
  const [, name = "", value = ""] = scheme.exec(headerIn(rawHeaders, "authorization") ?? "") ?? [];
  if (name.toLowerCase() === "bearer") return value;
  if (name.toLowerCase() !== "basic" || !takesPassword(rawHeaders)) return undefined;
  return basicOf(value).password || undefined;
}

/**
 * Whether an `Authorization` has a secret of ours in it, live or not: one with our check digits, or
 * a JWT that this service issued.
 */
export function isOurs(authorization: string, issuer: string): boolean {
  const words = authorization.split(/[\s,;="]+/u);
  const texts = [authorization, ...words.map((word) => basicOf(word).both)];
  return texts.some((text) => containsCredential(text) || containsJwtOf(text, issuer));
}

/** Each part by itself: what stands in front of a JWT, such as `v1.`, must not hide it. */
function containsJwtOf(text: string, issuer: string): boolean {
  return text.split(/[^\w-]+/u).some((part) => part.length > issuer.length && issuerOf(part) === issuer);
}

function issuerOf(part: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null && "iss" in claims ? claims.iss : undefined;
  } catch {
    return undefined;
  }
}
