import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { keyThumbprint } from "../lib/jose.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { importPrivateKey, type SigningAlgorithm, type SigningKey } from "./jwt.ts";
import type { SigningKeyRow } from "./signing-key-store.ts";

const generate = promisify(generateKeyPair);

/** A new key pair as storage keeps it: the private half encrypted. */
export async function newSigningKey(
  algorithm: SigningAlgorithm,
  generation: number,
  signsFrom: number,
  now: number,
  keyring: Keyring,
): Promise<SigningKeyRow> {
  const { privateKey, publicKey } = await newKeyPair(algorithm);
  const publicJwk = publicKey.export({ format: "jwk" });
  const id = await keyThumbprint(publicJwk);
  const encryptedPrivateJwk = keyring.encrypt(
    JSON.stringify(privateKey.export({ format: "jwk" })),
    signingKeyContext(id),
  );
  return { id, algorithm, generation, publicJwk: { ...publicJwk }, encryptedPrivateJwk, createdAt: now, signsFrom };
}

/** The private half of a stored key. */
export function decryptSigningKey({ id, algorithm, encryptedPrivateJwk }: SigningKeyRow, keyring: Keyring): SigningKey {
  const jwk = JSON.parse(keyring.decrypt(encryptedPrivateJwk, signingKeyContext(id))) as Record<string, unknown>;
  return { id, algorithm, privateKey: importPrivateKey(jwk) };
}

/** On the thread pool: an RSA key takes a quarter of a second. */
async function newKeyPair(algorithm: SigningAlgorithm) {
  switch (algorithm) {
    case "ES256":
      return await generate("ec", { namedCurve: "P-256" });
    case "EdDSA":
      return await generate("ed25519");
    case "RS256":
      return await generate("rsa", { modulusLength: 3072 });
  }
}

export function signingKeyContext(keyId: string): string {
  return `signing_keys/${keyId}`;
}
