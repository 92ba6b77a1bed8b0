import { createPublicKey, type KeyObject } from "node:crypto";
import { invalidRequest } from "../../lib/errors.ts";

export type JwkSet = { keys: Record<string, unknown>[] };

/**
 * The signature algorithms of client assertions. `Ed25519` is the newer name of EdDSA with that
 * curve (RFC 9864).
 */
export const assertionAlgorithms = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
const maxKeys = 10;
const maxCharacters = 512;
const rsaBits = { least: 2048, most: 8192 };
/** Members of private and symmetric keys (RFC 7518 §6). */
export const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const keptMembers = ["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"];

/**
 * A client's keys for `private_key_jwt`, reduced to their public members. Throws INVALID_REQUEST.
 */
export function checkedJwks(value: unknown): JwkSet {
  const keys: unknown = isObject(value) ? value["keys"] : undefined;
  if (!Array.isArray(keys)) throw invalidRequest("jwks", 'a JSON Web Key Set: {"keys": [...]}');
  if (keys.length < 1 || keys.length > maxKeys) throw invalidRequest("jwks", `1 to ${maxKeys} keys`);
  return { keys: keys.map((key, index) => checkedKey(key, `key ${index + 1}`)) };
}

function checkedKey(key: unknown, at: string): Record<string, unknown> {
  if (!isObject(key)) throw invalidRequest("jwks", `${at} is not an object`);
  if (privateMembers.some((name) => name in key))
    throw invalidRequest("jwks", `${at} has private members; give only public keys, and replace this one`);
  if ("use" in key && key["use"] !== "sig") throw invalidRequest("jwks", `${at} is not for signatures (use)`);
  const possible = usableKey(key)?.algorithms ?? [];
  if (possible.length === 0)
    throw invalidRequest(
      "jwks",
      `${at} is not supported; use RSA of ${rsaBits.least} bits or more, EC P-256 or Ed25519`,
    );
  if ("alg" in key && !possible.some((algorithm) => algorithm === key["alg"]))
    throw invalidRequest("jwks", `${at} has an unsupported algorithm (alg); use ${possible.join(" or ")}`);
  const kept = Object.entries(key).filter(([name]) => keptMembers.includes(name));
  if (!kept.every(([name, text]) => typeof text === "string" && (name === "n" || text.length <= maxCharacters)))
    throw invalidRequest("jwks", `${at} has members that are too long or not text`);
  return Object.fromEntries(kept);
}

/** A public key, and the algorithms that it can verify; undefined if there are none. */
export function usableKey(jwk: object): { key: KeyObject; algorithms: string[] } | undefined {
  try {
    const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
    const algorithms = algorithmsOf(key);
    return algorithms.length === 0 ? undefined : { key, algorithms };
  } catch {
    return undefined;
  }
}

function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): string[] {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (type === "ed25519") return ["EdDSA", "Ed25519"];
  if (type === "ec") return namedCurve === "prime256v1" ? ["ES256"] : [];
  const isRsa = type === "rsa" && modulusLength >= rsaBits.least && modulusLength <= rsaBits.most;
  return isRsa ? ["RS256", "PS256"] : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
