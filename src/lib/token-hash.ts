import { hash } from "node:crypto";

/**
 * `at_hash` of an access token beside an ID token that was signed so (OpenID Connect Core 1.0
 * §3.1.3.6). Ed25519 hashes by SHA-512.
 */
export function accessTokenHash(accessToken: string, algorithm: string): string {
  const digest = hash(algorithm.startsWith("Ed") ? "sha512" : `sha${algorithm.slice(-3)}`, accessToken, "buffer");
  return digest.subarray(0, digest.length / 2).toString("base64url");
}
