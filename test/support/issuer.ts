import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";
import { afterAll, beforeAll } from "vitest";

let made = 0;

type Key = { kid: string; alg: string; privateKey: CryptoKey; jwk: JWK };

/** An issuer of tokens for pipelines, with a discovery document, that does as it is told. */
export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

export async function startIssuer() {
  const keys: Key[] = [];
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    const path = request.url ?? "";
    asked.push(path);
    const own = issuer.answers[path];
    if (typeof own === "function") own(answer);
    else answer.setHeader("content-type", "application/json").end(JSON.stringify(own ?? documents()[path] ?? null));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const documents = (): Record<string, unknown> => ({
    "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
    "/keys": { keys: keys.map(({ jwk }) => jwk) },
  });

  const issuer = {
    url,
    /** The paths that were asked for. */
    asked,
    /** What is answered instead of the usual document, by path. */
    answers: {} as Record<string, object | ((answer: ServerResponse) => void)>,
    /** Makes a key, the only one that signs and is published from now on. */
    async rotate(alg = "ES256", kid = `key-${(made += 1)}`): Promise<Key> {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const key = { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
      keys.splice(0, keys.length, key);
      return key;
    },
    /** Signs a token; a claim that is undefined is left out. */
    async sign(claims: JWTPayload, header: Record<string, unknown> = {}, key = keys[0]): Promise<string> {
      if (!key) throw new Error("no key");
      const wanted = JSON.parse(JSON.stringify(claims)) as JWTPayload;
      return await new SignJWT(wanted)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  await issuer.rotate();
  return issuer;
}

/** An issuer for all tests beside it, which has its properties when they run. */
export function useIssuer(): Issuer {
  const issuer = {} as Issuer;
  beforeAll(async () => {
    Object.assign(issuer, await startIssuer());
  });
  afterAll(async () => await issuer.close());
  return issuer;
}
