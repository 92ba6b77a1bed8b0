/** WebCrypto without the thread pool, whose answers come in an order of their own. */
import { createPublicKey, hash, KeyObject, verify, type webcrypto } from "node:crypto";

type Algorithm = string | { name: string; hash?: { name: string } | string };
type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer;

const nameOf = (algorithm: Algorithm): string => (typeof algorithm === "string" ? algorithm : algorithm.name);
const plain = (name: string): string => name.replace("-", "").toLowerCase();

function hashIn(algorithm: Algorithm): string | null {
  const given = typeof algorithm === "string" ? undefined : algorithm.hash;
  return given === undefined ? null : plain(nameOf(given));
}

const synchronous = {
  async digest(algorithm: Algorithm, data: Bytes): Promise<ArrayBuffer> {
    return new Uint8Array(hash(plain(nameOf(algorithm)), new Uint8Array(data), "buffer")).buffer;
  },

  async importKey(format: string, key: webcrypto.JsonWebKey, algorithm: never, _isExtractable: boolean, usages: never) {
    if (format !== "jwk") throw new Error(`the simulation imports no key as ${format}`);
    return createPublicKey({ key, format: "jwk" }).toCryptoKey(algorithm, true, usages);
  },

  async verify(algorithm: Algorithm, key: webcrypto.CryptoKey, signature: Bytes, data: Bytes): Promise<boolean> {
    const kind = nameOf(algorithm);
    if (kind !== "Ed25519" && kind !== "ECDSA") throw new Error(`the simulation verifies nothing by ${kind}`);
    const digest = hashIn(algorithm);
    const verified = { key: KeyObject.from(key), dsaEncoding: "ieee-p1363" } as const;
    return verify(digest, new Uint8Array(data), verified, new Uint8Array(signature));
  },
};

export function verifyWithoutThreads(): void {
  Object.assign(Object.getPrototypeOf(globalThis.crypto.subtle) as object, synchronous);
}
