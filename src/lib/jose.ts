import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
} from "jose";

/** The RFC 7638 thumbprint of a public key. */
export async function keyThumbprint(publicJwk: object): Promise<string> {
  return await calculateJwkThumbprint(publicJwk);
}

export type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/** Fetches and caches the key set of another issuer. `fetchKeys` limits time and size. */
export function remoteKeys(address: string, fetchKeys: (address: string) => Promise<Response>): RemoteKeys {
  return createRemoteJWKSet(new URL(address), {
    [customFetch]: fetchKeys,
    cooldownDuration: 30_000,
    timeoutDuration: 10_000,
  });
}

/**
 * Verifies signature, aud, azp, exp, iat and sub (OpenID Connect Core §3.1.3.7). The caller
 * verifies iss and nonce.
 */
export async function verifyIdToken(
  token: string,
  keys: RemoteKeys,
  expected: { clientId: string; now: number },
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, keys, {
    audience: expected.clientId,
    // Never HS256: the client secret is shared, so we could have signed the token ourselves.
    algorithms: ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519", "RS384", "RS512"],
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    clockTolerance: 60,
    currentDate: new Date(expected.now),
  });
  const { aud, azp } = payload;
  // A token with several audiences is meant for `azp` only.
  if (Array.isArray(aud) && (azp === undefined ? aud.length > 1 : azp !== expected.clientId))
    throw new errors.JWTClaimValidationFailed('unexpected "azp" claim value', payload, "azp", "check_failed");
  return payload;
}

/** The client that an assertion names, unverified (RFC 7523 §3); undefined if it is no JWT. */
export function assertedClient(assertion: string): string | undefined {
  try {
    const { sub }: { sub?: unknown } = decodeJwt(assertion);
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a client assertion (RFC 7523 §3) with the client's public keys. Every audience must be
 * ours: the one string, or any of a list. Undefined if it is not valid.
 */
export async function verifyClientAssertion(
  assertion: string,
  keys: readonly Record<string, unknown>[],
  expected: { clientId: string; audiences: string | string[]; algorithms: string[]; now: number },
): Promise<{ jti: string; expiresAt: number } | undefined> {
  const { clientId, audiences, algorithms, now } = expected;
  for (const key of keys) {
    const payload = await verifiedBy(assertion, key, {
      algorithms,
      issuer: clientId,
      subject: clientId,
      requiredClaims: ["exp", "jti", "aud"],
      clockTolerance: 60,
      currentDate: new Date(now),
    });
    if (!payload) continue;
    const { aud, jti, exp = 0 } = payload;
    const named = Array.isArray(aud) ? aud : [aud];
    const isOurs =
      typeof audiences === "string"
        ? aud === audiences
        : named.length > 0 && named.every((one) => one !== undefined && audiences.includes(one));
    return isOurs && typeof jti === "string" && jti !== "" ? { jti, expiresAt: Math.floor(exp * 1000) } : undefined;
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
    // Also a key of another kind than the token's algorithm.
    return undefined;
  }
}
