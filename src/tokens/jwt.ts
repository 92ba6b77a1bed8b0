import { createPrivateKey, createPublicKey, sign, verify, type KeyObject, type webcrypto } from "node:crypto";

export type SigningAlgorithm = "ES256" | "EdDSA" | "RS256";

/** A JSON Web Signature in the compact form, made and checked with node:crypto: four times as fast as WebCrypto here, and synchronous,
 * so that hashing passwords on the thread pool cannot delay it. `jwt.test.ts` holds it against jose in both directions. */
export type VerificationKey = { id: string; algorithm: SigningAlgorithm; publicKey: KeyObject };
export type SigningKey = { id: string; algorithm: SigningAlgorithm; privateKey: KeyObject };

/** RFC 9068: access tokens name their type, so that no other kind of JWT passes for one. */
const accessTokenType = "at+jwt";
/** Far above any token of ours (about 700 bytes), far below what is costly to look at. */
const mostCharacters = 4096;
const base64url = /^[A-Za-z0-9_-]+$/u;

export function importPublicKey(jwk: webcrypto.JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: "jwk" });
}

export function importPrivateKey(jwk: webcrypto.JsonWebKey): KeyObject {
  return createPrivateKey({ key: jwk, format: "jwk" });
}

export function signJwt(claims: object, key: SigningKey): string {
  const header = { alg: key.algorithm, typ: accessTokenType, kid: key.id };
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

/** Takes a token apart without trusting it; undefined when it is not a compact JWS with a JSON header and payload in canonical base64url. */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > mostCharacters) return undefined;
  const parts = token.split(".", 4);
  const [headerPart, claimsPart, signaturePart] = parts;
  if (parts.length !== 3 || !headerPart || !claimsPart || !signaturePart) return undefined;
  const header = decodeObject(headerPart);
  const claims = decodeObject(claimsPart);
  const signature = decodeCanonical(signaturePart);
  if (!header || !claims || !signature) return undefined;
  return { header, claims, signingInput: `${headerPart}.${claimsPart}`, signature };
}

/** Why the signature cannot be trusted, or undefined when it can. The algorithm is the key's own: the header only has to agree (RFC 8725 §3.1). */
export function signatureProblem(
  parsed: ParsedJwt,
  findKey: (kid: string) => VerificationKey | undefined,
): string | undefined {
  const { alg, typ, kid } = parsed.header;
  if (typ !== accessTokenType) return "it is not an access token (typ is not at+jwt)";
  if (typeof kid !== "string") return "it names no signing key (kid)";
  if ("crit" in parsed.header) return "it demands an extension that is not supported (crit)";
  const key = findKey(kid);
  if (!key) return "its signing key (kid) is not one of this service, or no longer";
  if (alg !== key.algorithm) return "its algorithm (alg) is not that of its signing key";
  const options = { key: key.publicKey, dsaEncoding: "ieee-p1363" } as const;
  const genuine = verify(digestFor(key.algorithm), Buffer.from(parsed.signingInput), options, parsed.signature);
  return genuine ? undefined : "its signature is wrong";
}

function digestFor(algorithm: SigningAlgorithm): "sha256" | null {
  return algorithm === "EdDSA" ? null : "sha256";
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** base64url has several spellings of the same bytes; only the canonical one is accepted, so that a token has one text. */
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
