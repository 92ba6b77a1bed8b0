import { calculateJwkThumbprint, createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload } from "jose";

/** RFC 7638: names a public key by its own members. */
export async function keyThumbprint(publicJwk: object): Promise<string> {
  return await calculateJwkThumbprint(publicJwk);
}

export type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/** The key set of another issuer, fetched when needed and kept for a while. `fetchKeys` brings its own time and size limits. */
export function remoteKeys(address: string, fetchKeys: (address: string) => Promise<Response>): RemoteKeys {
  return createRemoteJWKSet(new URL(address), {
    [customFetch]: fetchKeys,
    cooldownDuration: 30_000,
    timeoutDuration: 10_000,
  });
}

/** Signature, aud, exp, iat and sub of an ID token (OpenID Connect Core §3.1.3.7); iss and nonce are the caller's. Throws jose's errors. */
export async function verifyIdToken(
  token: string,
  keys: RemoteKeys,
  expected: { clientId: string; now: number },
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, keys, {
    audience: expected.clientId,
    // Never HS256: with a shared secret, "signed by the issuer" would mean "signed by us, too".
    algorithms: ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519", "RS384", "RS512"],
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
    clockTolerance: 60,
    currentDate: new Date(expected.now),
  });
  return payload;
}
