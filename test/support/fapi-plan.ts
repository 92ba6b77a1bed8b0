import { exportJWK, generateKeyPair, type CryptoKey } from "jose";
import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import { createTestClient } from "./openid.ts";
import { newEmail, signUp } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

type Key = { alg: string; key: CryptoKey; jwk: Record<string, unknown> };

async function newKey(alg = "ES256"): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, key: privateKey, jwk: { ...jwk } };
}

export async function newFapiParty(
  service: TestService,
  app: TestApp,
  { alg, ...changes }: Partial<NewClient> & { alg?: string } = {},
): Promise<{ client: Client; email: string; keys: Key; proofKey: Key }> {
  const email = newEmail();
  await signUp(service, app, { email, name: "Ada" });
  const keys = await newKey(alg);
  const jwks = { keys: [{ ...keys.jwk, alg: keys.alg }] };
  const client = await createTestClient(service, app, { profile: "fapi2", jwks, ...changes });
  return { client, email, keys, proofKey: await newKey() };
}
