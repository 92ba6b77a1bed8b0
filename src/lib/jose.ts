import { calculateJwkThumbprint, createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from "jose";

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
