import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import type { Random } from "../lib/random.ts";

/** What the master key is used for: one derived key per purpose, so that no use can be turned against another. */
export type Keyring = ReturnType<typeof createKeyring>;

const version = "v1";

export function createKeyring(masterKey: Uint8Array, random: Random) {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", masterKey, "", `authsvc ${purpose}`, 32));
  const encryptionKey = derive("encryption at rest");
  const macKeys = {
    oauth: derive("oauth rounds"),
    refresh: derive("refresh tokens"),
    form: derive("form tokens"),
    account: derive("account digests"),
    browser: derive("known browsers"),
    email: derive("email tokens"),
    limits: derive("rate limits"),
  };

  return {
    /** AES-256-GCM. `context` (table and row) is authenticated: a ciphertext moved to another row does not decrypt. */
    encrypt(plaintext: string, context: string): string {
      const nonce = random(12);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${sealed.toString("base64url")}`;
    },

    /** Throws when the key, the context or a bit of the text is not the one that was used. */
    decrypt(text: string, context: string): string {
      const [writtenBy, body] = text.split(".");
      if (writtenBy !== version || !body) throw new Error("unknown form of encrypted value");
      const sealed = Buffer.from(body, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, sealed.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
      return decipher.update(sealed.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    },

    /** HMAC-SHA256, 32 bytes. */
    mac(purpose: keyof typeof macKeys, ...parts: (string | Uint8Array)[]): Buffer {
      const mac = createHmac("sha256", macKeys[purpose]);
      // Each part with its length: ("ab", "c") and ("a", "bc") must not meet.
      for (const part of parts) {
        if (typeof part === "string") mac.update(`${Buffer.byteLength(part)}:${part}`);
        else mac.update(`${part.byteLength}:`).update(part);
      }
      // As text first: a Buffer straight from a digest costs a third of the whole.
      return Buffer.from(mac.digest("base64url"), "base64url");
    },
  };
}
