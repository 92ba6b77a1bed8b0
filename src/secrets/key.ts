import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Random } from "../lib/random.ts";

const version = "v1";
const macPurposes = {
  oauth: "oauth rounds",
  refresh: "refresh tokens",
  form: "form tokens",
  account: "account digests",
  browser: "known browsers",
  email: "email tokens",
  limits: "rate limits",
  cursor: "list cursors",
  console: "console sessions",
  dpop: "DPoP nonces",
  device: "device user codes",
  puzzle: "sign-in puzzles",
};

export type MacPurpose = keyof typeof macPurposes;
export type MacKeys = Record<MacPurpose, Buffer>;

/** A master key, with a derived key per purpose, so that no use can be turned against another. */
export class MasterKey {
  readonly #bytes: Buffer;
  readonly #encryptionKey: Buffer;
  readonly #random: Random;

  constructor(bytes: Uint8Array, random: Random) {
    this.#bytes = Buffer.from(bytes);
    this.#encryptionKey = this.#derive("encryption at rest");
    this.#random = random;
  }

  #derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#bytes, "", `authsvc ${purpose}`, 32));
  }

  /** In the form of a key file. */
  text(): string {
    return this.#bytes.toString("base64url");
  }

  macKeys(): MacKeys {
    const keys = Object.entries(macPurposes).map(([name, purpose]) => [name, this.#derive(purpose)]);
    return Object.fromEntries(keys) as MacKeys;
  }

  /**
   * AES-256-GCM. `context` (table and row) is authenticated: a ciphertext moved to another row does
   * not decrypt.
   */
  encrypt(plaintext: string, context: string): string {
    const nonce = this.#random(12);
    const cipher = createCipheriv("aes-256-gcm", this.#encryptionKey, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${version}.${sealed.toString("base64url")}`;
  }

  /** Throws if key, context or any bit of the text is wrong. */
  decrypt(text: string, context: string): string {
    const [writtenBy, body] = text.split(".");
    if (writtenBy !== version || !body) throw new Error("encrypted value has an unknown format");
    const sealed = Buffer.from(body, "base64url");
    const nonce = sealed.subarray(0, 12);
    const decipher = createDecipheriv("aes-256-gcm", this.#encryptionKey, nonce, { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
    return decipher.update(sealed.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  }
}

export function opens(key: Pick<MasterKey, "decrypt">, text: string, context: string): boolean {
  try {
    key.decrypt(text, context);
    return true;
  } catch {
    return false;
  }
}

/** The form in which the database stores them, encrypted, once their master key is replaced. */
export function macKeysAsText(keys: MacKeys): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.toString("base64url")])),
  );
}

export function macKeysFrom(text: string): MacKeys {
  const stored = JSON.parse(text) as Record<string, string>;
  const keyOf = (name: string): Buffer => Buffer.from(stored[name] ?? "", "base64url");
  // A purpose that did not exist yet at the rotation gets its key from one that is always stored.
  const derived = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", keyOf("limits"), "", `authsvc ${purpose}`, 32));
  return Object.fromEntries(
    Object.entries(macPurposes).map(([name, purpose]) => [name, name in stored ? keyOf(name) : derived(purpose)]),
  ) as MacKeys;
}
