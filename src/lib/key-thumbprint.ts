import { hash } from "node:crypto";

type PublicJwk = Readonly<Partial<Record<"crv" | "e" | "kty" | "n" | "x" | "y", unknown>>>;

/** The RFC 7638 thumbprint of a public key, at once: transactions wait for no other thread. */
export function keyThumbprint({ crv, e, kty, n, x, y }: PublicJwk): string {
  // Each kind of key has some of these members, in this order (§3.2).
  return hash("sha256", JSON.stringify({ crv, e, kty, n, x, y }), "base64url");
}
