import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
} from "jose";
import { minute } from "./clock.ts";
import { accessTokenHash } from "./token-hash.ts";

export type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/**
 * Fetches and caches the key set of another issuer. `fetchKeys` limits time and size. An unknown
 * key makes it fetch again at once: only the issuer itself, which sent the token, can cause that.
 */
export function remoteKeys(address: string, fetchKeys: (address: string) => Promise<Response>): RemoteKeys {
  return createRemoteJWKSet(new URL(address), {
    [customFetch]: fetchKeys,
    cooldownDuration: 0,
    timeoutDuration: 10_000,
  });
}

export type { JWTPayload };

/** Never HS256: the client secret is shared, so we could have signed the token ourselves. */
const issuerAlgorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519", "RS384", "RS512"];

/** How far another issuer's clock may be ahead of ours. */
const farthestAhead = 5 * minute;

/**
 * Verifies signature, aud, azp, exp, iat, sub, and at_hash if it is there (OpenID Connect Core
 * §3.1.3.7, §3.1.3.8). The caller verifies iss and nonce.
 */
export async function verifyIdToken(
  token: string,
  keys: RemoteKeys,
  expected: { clientId: string; accessToken: string; now: number },
): Promise<JWTPayload> {
  const refuse = (claim: string): never => {
    throw new errors.JWTClaimValidationFailed(`unexpected "${claim}" claim value`, payload, claim, "check_failed");
  };
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    audience: expected.clientId,
    algorithms: issuerAlgorithms,
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    clockTolerance: 60,
    currentDate: new Date(expected.now),
  });
  const { aud, azp, iat = 0, at_hash: hash } = payload;
  // Must be issued to `azp`, if present. With several audiences, only `azp` identifies the
  // recipient.
  if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== expected.clientId) refuse("azp");
  if (iat * 1000 > expected.now + farthestAhead) refuse("iat");
  if (hash !== undefined && hash !== accessTokenHash(expected.accessToken, protectedHeader.alg)) refuse("at_hash");
  return payload;
}

/** Verifies a signed userinfo; `iss` and `aud` if present (OpenID Connect Core §5.3.2). */
export async function verifyUserinfo(
  token: string,
  keys: RemoteKeys,
  { clientId, issuer, now }: { clientId: string; issuer: string | undefined; now: number },
): Promise<JWTPayload> {
  const options = { algorithms: issuerAlgorithms, clockTolerance, currentDate: new Date(now) };
  const { payload } = await jwtVerify(token, keys, options);
  const { aud = clientId, iss = issuer } = payload;
  const wrong = ![aud].flat().includes(clientId) ? "aud" : iss === issuer ? undefined : "iss";
  if (wrong !== undefined)
    throw new errors.JWTClaimValidationFailed(`unexpected "${wrong}" claim value`, payload, wrong, "check_failed");
  return payload;
}

/** Tolerance for other parties' clocks, in seconds. */
const clockTolerance = 60;

/** The client that an assertion names, unverified (RFC 7523 §3); undefined if it is no JWT. */
export function assertedClient(assertion: string): string | undefined {
  return assertedClaims(assertion)?.subject;
}

/** The unverified issuer and subject of an assertion; undefined if it is not a JWT. */
export function assertedClaims(assertion: string): { issuer: string | undefined; subject: string } | undefined {
  try {
    const { iss, sub }: { iss?: unknown; sub?: unknown } = decodeJwt(assertion);
    return typeof sub === "string" ? { issuer: typeof iss === "string" ? iss : undefined, subject: sub } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a client assertion (RFC 7523 §3) with the client's public keys. Every audience must be
 * ours: the one string, or any of a list. Undefined if it is not valid, or from more than a minute
 * ahead. `key`: the one that signed.
 */
export async function verifyClientAssertion(
  assertion: string,
  keys: readonly Record<string, unknown>[],
  expected: { clientId: string; audiences: string | string[]; algorithms: string[]; now: number },
): Promise<{ jti: string; expiresAt: number; key: Record<string, unknown> } | undefined> {
  const { clientId, audiences, algorithms, now } = expected;
  for (const key of keys) {
    const payload = await verifiedBy(assertion, key, {
      algorithms,
      issuer: clientId,
      subject: clientId,
      requiredClaims: ["exp", "jti", "aud"],
      clockTolerance,
      currentDate: new Date(now),
    });
    if (!payload) continue;
    const { aud, jti, exp = 0, iat = 0 } = payload;
    const named = Array.isArray(aud) ? aud : [aud];
    const isOurs =
      typeof audiences === "string"
        ? aud === audiences
        : named.length > 0 && named.every((one) => one !== undefined && audiences.includes(one));
    const isComplete = isOurs && iat <= now / 1000 + clockTolerance && typeof jti === "string" && jti !== "";
    return isComplete ? { jti, expiresAt: Math.floor(exp * 1000), key } : undefined;
  }
  return undefined;
}

async function verifiedBy(
  token: string,
  key: Record<string, unknown>,
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload | undefined> {
  try {
    const { kid } = decodeProtectedHeader(token);
    if (kid !== undefined && key["kid"] !== undefined && kid !== key["kid"]) return undefined;
    return (await jwtVerify(token, key, options)).payload;
  } catch {
    // Includes keys of another kind than the token's algorithm.
    return undefined;
  }
}

/** In seconds. */
const longestAge = 600;

/** The claims of another issuer's verified token. `acceptedUntil`: without skew. */
export type IssuedToken = { subject: string; audience: string; jti: string | undefined; acceptedUntil: number };

/**
 * Verifies a token of another issuer by its keys: signature, iss, exp, nbf, and iat, at most ten
 * minutes ago. The caller verifies sub and aud, and that `jti` is new.
 */
export async function verifyIssuedToken(
  token: string,
  keys: Record<string, unknown>[],
  { issuer, algorithms, now }: { issuer: string; algorithms: string[]; now: number },
): Promise<IssuedToken | { reason: string; lacksKey: boolean }> {
  const refused = (reason: string) => ({ reason, lacksKey: false });
  let payload: JWTPayload;
  try {
    const options = { issuer, algorithms, requiredClaims: ["sub", "aud", "exp", "iat"], clockTolerance };
    const verified = await jwtVerify(token, createLocalJWKSet({ keys }), { ...options, currentDate: new Date(now) });
    ({ payload } = verified);
  } catch (error) {
    return { reason: tokenProblem(error), lacksKey: error instanceof errors.JWKSNoMatchingKey };
  }
  const { sub, aud, exp = 0, iat = 0, jti } = payload as Record<string, unknown> & JWTPayload;
  const age = Math.floor(now / 1000) - iat;
  if (age < -clockTolerance) return refused("it was issued in the future (iat)");
  if (age > longestAge) return refused("it is older than ten minutes (iat)");
  const [audience, ...others]: unknown[] = Array.isArray(aud) ? aud : [aud];
  // Any of several audiences could pass the token on to the others.
  if (others.length > 0) return refused("it is for several audiences (aud)");
  if (typeof sub !== "string" || typeof audience !== "string")
    return refused("its subject or audience is not a string (sub, aud)");
  if (jti !== undefined && (typeof jti !== "string" || jti === "")) return refused("its id is not a string (jti)");
  return { subject: sub, audience, jti, acceptedUntil: Math.ceil(Math.min(exp, iat + longestAge) * 1000) };
}

/** The broken rule, in our words. */
export function tokenProblem(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired (exp)";
  if (error instanceof errors.JWTClaimValidationFailed) return `a claim is missing or wrong (${error.claim})`;
  if (error instanceof errors.JOSEAlgNotAllowed) return "its algorithm is not accepted (alg)";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  if (error instanceof errors.JWKSNoMatchingKey) return "its issuer has no such key (kid)";
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return "it does not say which of its issuer's keys signed it (kid)";
  return "it is not a JWT, or its key is not usable";
}
