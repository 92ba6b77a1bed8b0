/** DPoP proofs: JWTs by which a client shows that it holds a key (RFC 9449 §4). */
import { constants, hash, verify, type KeyObject } from "node:crypto";
import { assertionAlgorithms, privateMembers, usableKey } from "../../applications/clients/jwks.ts";
import { second } from "../../lib/clock.ts";
import { keyThumbprint } from "../../lib/key-thumbprint.ts";
import { parseJwt } from "../jwt.ts";

/** The call that a proof must be for. `accessToken`: at a resource. `algorithms`: of the client. */
export type ProvenCall = { method: string; url: string; algorithms: string[]; accessToken?: string | undefined };

/** `thumbprint`: of the key (RFC 7638), as in `cnf.jkt`. `issuedAt`: epoch milliseconds. */
export type Proof = { thumbprint: string; jti: string; issuedAt: number; nonce: unknown };

/** How far `iat` may be from now, either way. */
export const proofLasts = 60 * second;

/** The signature algorithms of proofs. */
export const proofAlgorithms = assertionAlgorithms;

/**
 * Checks everything of RFC 9449 §4.3 that needs no storage; `reason` names the error. The caller
 * checks the nonce, and that the proof was not used before.
 */
export function checkedProof(text: string, call: ProvenCall, now: number): Proof | { reason: string } {
  const parsed = parseJwt(text);
  if (!parsed) return { reason: "the header DPoP must be one JWT" };
  const { typ, alg, jwk } = parsed.header;
  if (typ !== "dpop+jwt") return { reason: "typ: must be dpop+jwt" };
  if ("crit" in parsed.header) return { reason: "crit: no extension is supported" };
  if (typeof jwk !== "object" || jwk === null) return { reason: "jwk: required" };
  if (privateMembers.some((member) => member in jwk)) return { reason: "jwk: must be a public key" };
  const usable = usableKey(jwk);
  if (!usable) return { reason: "jwk: must be RSA of 2048 bits or more, EC P-256 or Ed25519" };
  const { key, algorithms } = usable;
  if (typeof alg !== "string" || !algorithms.includes(alg) || !call.algorithms.includes(alg))
    return { reason: "alg: must be one of the key, and of those that the client may use" };
  if (!isSignedBy(key, alg, parsed)) return { reason: "the signature is wrong" };

  const { htm, htu, iat, jti, ath, exp, nbf, nonce } = parsed.claims;
  if (typeof jti !== "string" || jti === "") return { reason: "jti: required" };
  if (htm !== call.method) return { reason: "htm: must be the method of this call" };
  if (typeof htu !== "string" || !isSameTarget(htu, call.url)) return { reason: "htu: must be this URL" };
  if (typeof iat !== "number" || !(Math.abs(now - iat * second) <= proofLasts))
    return { reason: "iat: must be now, give or take 60 seconds" };
  if (exp !== undefined && !(Number(exp) * second > now)) return { reason: "exp: is over" };
  if (nbf !== undefined && !(Number(nbf) * second <= now + proofLasts)) return { reason: "nbf: is to come" };
  if (call.accessToken !== undefined && ath !== hash("sha256", call.accessToken, "base64url"))
    return { reason: "ath: must be the hash of the access token" };
  // Of the key as we read it: the same for all its spellings.
  return { thumbprint: keyThumbprint(key.export({ format: "jwk" })), jti, issuedAt: iat * second, nonce };
}

function isSignedBy(
  key: KeyObject,
  algorithm: string,
  { signingInput, signature }: { signingInput: string; signature: Buffer },
): boolean {
  const digest = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = { key, dsaEncoding: "ieee-p1363", ...(algorithm === "PS256" ? pss : {}) } as const;
  return verify(digest, Buffer.from(signingInput), options, signature);
}

function isSameTarget(one: string, other: string): boolean {
  const target = targetOf(one);
  return target !== undefined && target === targetOf(other);
}

/** A URL without query and fragment, normalized (RFC 3986 §6.2.2, §6.2.3); undefined if invalid. */
function targetOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || url.username !== "" || url.password !== "") return undefined;
  return `${url.origin}${url.pathname.replaceAll(/%[0-9a-f]{2}/giu, normalOctet)}`;
}

function normalOctet(octet: string): string {
  const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
  return /[\w.~-]/u.test(character) ? character : octet.toUpperCase();
}
