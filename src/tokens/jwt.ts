import { createPrivateKey, createPublicKey, sign, verify, type KeyObject, type webcrypto } from "node:crypto";
import type { SigningAlgorithm } from "../storage/column-types.ts";

/**
 * Compact JSON Web Signatures with node:crypto: four times as fast as WebCrypto, and synchronous,
 * so password hashes in the thread pool cannot delay them. `jwt.test.ts` compares it with jose in
 * both directions.
 */
export type VerificationKey = { id: string; algorithm: SigningAlgorithm; publicKey: KeyObject };
export type SigningKey = { id: string; algorithm: SigningAlgorithm; privateKey: KeyObject };

/**
 * The `typ` of access tokens (RFC 9068), ID tokens, logout tokens, and statements to programs
 * behind a reverse proxy. Each is refused where another is expected (RFC 8725 §3.11).
 */
export type JwtType = "at+jwt" | "JWT" | "logout+jwt" | "authsvc-assertion+jwt";

/** With 4 KiB of claims of the application, about 7,200; far below what is expensive to parse. */
const maxAccessTokenCharacters = 8192;
const base64url = /^[A-Za-z0-9_-]+$/u;

export function importPublicKey(jwk: webcrypto.JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: "jwk" });
}

export function importPrivateKey(jwk: webcrypto.JsonWebKey): KeyObject {
  return createPrivateKey({ key: jwk, format: "jwk" });
}

export function signJwt(claims: object, key: SigningKey, typ: JwtType): string {
  const header = { alg: key.algorithm, typ, kid: key.id };
  const signingInput = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
  const signature = sign(digestFor(key.algorithm), Buffer.from(signingInput), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${signingInput}.${signature.toString("base64url")}`;
}

export type ParsedJwt = {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signingInput: string;
  signature: Buffer;
};

/**
 * Parses a token without trusting it; undefined unless it is a compact JWS with JSON header and
 * payload in canonical base64url.
 */
export function parseJwt(token: string, maxCharacters = maxAccessTokenCharacters): ParsedJwt | undefined {
  if (token.length > maxCharacters) return undefined;
  const parts = token.split(".", 4);
  const [headerPart, claimsPart, signaturePart] = parts;
  if (parts.length !== 3 || !headerPart || !claimsPart || !signaturePart) return undefined;
  const header = decodeObject(headerPart);
  const claims = decodeObject(claimsPart);
  const signature = decodeCanonical(signaturePart);
  if (!header || !claims || !signature) return undefined;
  return { header, claims, signingInput: `${headerPart}.${claimsPart}`, signature };
}

/**
 * Why the signature is not valid; undefined if it is. The key determines the algorithm, and the
 * header must agree (RFC 8725 §3.1).
 */
export function signatureProblem(
  parsed: ParsedJwt,
  findKey: (kid: string) => VerificationKey | undefined,
  wanted: JwtType,
): string | undefined {
  const { alg, typ, kid } = parsed.header;
  if (typ !== wanted) return `it is another kind of token (typ is not ${wanted})`;
  if (typeof kid !== "string") return "it names no signing key (kid)";
  if ("crit" in parsed.header) return "it requires an unsupported extension (crit)";
  const key = findKey(kid);
  if (!key) return "its signing key (kid) is unknown to this service, or was removed";
  if (alg !== key.algorithm) return "its algorithm (alg) does not match its signing key";
  const options = { key: key.publicKey, dsaEncoding: "ieee-p1363" } as const;
  const genuine = verify(digestFor(key.algorithm), Buffer.from(parsed.signingInput), options, parsed.signature);
  return genuine ? undefined : "its signature is invalid";
}

function digestFor(algorithm: SigningAlgorithm): "sha256" | null {
  return algorithm === "EdDSA" ? null : "sha256";
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Accepts only the canonical base64url form, so that each token has a single text. */
function decodeCanonical(part: string): Buffer | undefined {
  if (!base64url.test(part)) return undefined;
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}

function decodeObject(part: string): Record<string, unknown> | undefined {
  const bytes = decodeCanonical(part);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
