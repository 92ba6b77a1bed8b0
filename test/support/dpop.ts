import { hash } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";
import { basic, post, type Party } from "./openid-tokens.ts";
import type { TestService } from "./service.ts";

export type ProofOptions = {
  accessToken?: string;
  nonce?: string;
  /** Instead of the usual ones; undefined removes one. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
};

/** A key whose holder makes DPoP proofs for calls of the service. */
export type Prover = Awaited<ReturnType<typeof newProver>>;

let made = 0;

export async function newProver(service: TestService, algorithm = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk: JWK = await exportJWK(publicKey);
  const thumbprint = await calculateJwkThumbprint(jwk);
  return {
    thumbprint,
    jwk,
    privateJwk: await exportJWK(privateKey),

    async proof(
      method: string,
      path: string,
      { accessToken, nonce, claims, header }: ProofOptions = {},
    ): Promise<string> {
      made += 1;
      const usual = {
        jti: `proof-${made}`,
        htm: method,
        htu: `${service.server.app.ctx.baseUrl}${path}`,
        iat: Math.floor(service.clock.now / 1000),
        ...(accessToken === undefined ? {} : { ath: hash("sha256", accessToken, "base64url") }),
        ...(nonce === undefined ? {} : { nonce }),
      };
      const protectedHeader = { typ: "dpop+jwt", alg: algorithm, jwk, ...header };
      return await new SignJWT({ ...usual, ...claims }).setProtectedHeader(protectedHeader).sign(privateKey);
    },

    /** The headers of a call with a bound token. */
    async headers(method: string, path: string, accessToken: string, changes: ProofOptions = {}) {
      const [address = ""] = path.split("?", 1);
      const dpop = await this.proof(method, address, { accessToken, ...changes });
      return { authorization: `DPoP ${accessToken}`, dpop };
    },
  };
}

/** Posts to the token endpoint with a proof. A party without a secret names itself. */
export async function prove(
  service: TestService,
  party: Pick<Party, "client" | "secret">,
  form: Record<string, string>,
  dpop?: string,
) {
  const headers = { ...(dpop === undefined ? {} : { dpop }), ...(party.secret === "" ? {} : basic(party)) };
  const named = party.secret === "" ? { ...form, client_id: party.client.id } : form;
  return await post(service, "/oauth2/token", named, headers);
}
