import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { keyThumbprint } from "../lib/key-thumbprint.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { importPrivateKey, type SigningKey } from "./jwt.ts";
import type { SigningKeyRow } from "./signing-key-store.ts";

const generate = promisify(generateKeyPair);

/** A new key pair. `sealed` encrypts the private half, in the transaction that stores it. */
export type NewSigningKey = Omit<SigningKeyRow, "encryptedPrivateJwk"> & { privateJwk: string };

/** Its id never begins with "-": on a command line that would be an option. */
export async function newSigningKey(
  algorithm: SigningAlgorithm,
  generation: number,
  signsFrom: number,
  now: number,
): Promise<NewSigningKey> {
  const { privateKey, publicKey } = await newKeyPair(algorithm);
  const publicJwk = publicKey.export({ format: "jwk" });
  const id = keyThumbprint(publicJwk);
  if (id.startsWith("-")) return await newSigningKey(algorithm, generation, signsFrom, now);
  const privateJwk = JSON.stringify(privateKey.export({ format: "jwk" }));
  return { id, algorithm, generation, publicJwk: { ...publicJwk }, privateJwk, createdAt: now, signsFrom };
}

/** The key in its stored form. */
export async function sealed(
  tx: Handle,
  { privateJwk, ...row }: NewSigningKey,
  keyring: Keyring,
): Promise<SigningKeyRow> {
  return { ...row, encryptedPrivateJwk: await keyring.encrypt(tx, privateJwk, signingKeyContext(row.id)) };
}

/** The private half of a stored key. */
export function decryptSigningKey({ id, algorithm, encryptedPrivateJwk }: SigningKeyRow, keyring: Keyring): SigningKey {
  const jwk = JSON.parse(keyring.decrypt(encryptedPrivateJwk, signingKeyContext(id))) as Record<string, unknown>;
  return { id, algorithm, privateKey: importPrivateKey(jwk) };
}

/** Runs in the thread pool: an RSA key takes a quarter of a second. */
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
