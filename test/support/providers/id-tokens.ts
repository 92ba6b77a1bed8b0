import { exportJWK, generateKeyPair, SignJWT } from "jose";

export type Claims = Record<string, unknown>;

/** Makes the id_token from the claims that would be right; a test puts another one in its place. */
export type IdTokenMaker = (claims: Claims) => string | Promise<string>;

/** An issuer's signing key. */
export type IssuerKey = Awaited<ReturnType<typeof newIssuerKey>>;

export async function newIssuerKey(alg: "RS256" | "ES256" = "ES256", kid = "key-1") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
  return {
    publicJwk,
    sign: async (claims: Claims, header: Record<string, unknown> = {}): Promise<string> =>
      await new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

/** HS256 with a secret that both sides know. */
export async function signedWithSecret(claims: Claims, secret: string | Uint8Array, kid = "key-1"): Promise<string> {
  const key = typeof secret === "string" ? Buffer.from(secret) : secret;
  return await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(key);
}

/** Not signed at all, in the spelling of `alg`. */
export function unsigned(claims: Claims, alg = "none"): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg, kid: "key-1" })}.${encode(claims)}.`;
}
