import { createPublicKey, type KeyObject, type webcrypto } from "node:crypto";
import { isUsablePoint } from "./ed25519-point.ts";

/** Accepted algorithms: EdDSA with Ed25519, ES256 with P-256, RS256. */
export const algorithms = [-8, -7, -257];

// COSE: key types and curves (RFC 9053 §7).
const okp = 1;
const ec2 = 2;
const rsa = 3;
const p256 = 1;
const ed25519 = 6;

/**
 * Whether a passkey can sign in with a COSE key: its curve and size must match its algorithm.
 * Throws if node:crypto refuses the key, for example for a point off the curve.
 */
export function isUsableKey(key: Map<unknown, unknown>): boolean {
  const [type, algorithm] = [key.get(1), key.get(3)];
  if (algorithm === -7 && type === ec2) {
    const [x, y] = [bytesAt(key, -2), bytesAt(key, -3)];
    if (key.get(-1) !== p256 || x.length !== 32 || y.length !== 32) return false;
    return imported({ kty: "EC", crv: "P-256", x: text(x), y: text(y) }).asymmetricKeyType === "ec";
  }
  if (algorithm === -8 && type === okp) {
    const x = bytesAt(key, -2);
    if (key.get(-1) !== ed25519 || x.length !== 32 || !isUsablePoint(x)) return false;
    return imported({ kty: "OKP", crv: "Ed25519", x: text(x) }).asymmetricKeyType === "ed25519";
  }
  if (algorithm !== -257 || type !== rsa) return false;
  const [n, e] = [bytesAt(key, -1), bytesAt(key, -2)];
  return isStrongRsa(n, imported({ kty: "RSA", n: text(n), e: text(e) }));
}

/**
 * node:crypto imports RSA keys with an even modulus or exponent, or the exponent 1, which are
 * insecure.
 */
function isStrongRsa(modulus: Uint8Array, key: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  const isOdd = (modulus.at(-1) ?? 0) % 2 === 1 && publicExponent % 2n === 1n;
  return isOdd && modulusLength >= 2048 && publicExponent >= 3n;
}

function imported(key: webcrypto.JsonWebKey): KeyObject {
  return createPublicKey({ key, format: "jwk" });
}

function bytesAt(key: Map<unknown, unknown>, label: number): Uint8Array {
  const value = key.get(label);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
