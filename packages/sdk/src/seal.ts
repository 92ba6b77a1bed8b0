import { fromBase64Url, toBase64Url, toText, utf8 } from "./encoding.ts";
import { configurationError, environment } from "./settings.ts";

export type Seal = ReturnType<typeof createSeal>;

const minLength = 32;
const ivLength = 12;

/**
 * Encrypts cookies (AES-256-GCM). If there are several secrets, separated by commas, the first
 * encrypts and all decrypt.
 */
export function createSeal(given = environment("AUTHSVC_COOKIE_SECRET")) {
  const secrets = (given ?? "").split(",").map((secret) => secret.trim());
  const fix = "Generate one, the same for every server: openssl rand -base64 32";
  if (!given) throw configurationError(`AUTHSVC_COOKIE_SECRET is not set. ${fix}`);
  if (secrets.some((secret) => secret.length < minLength))
    throw configurationError(`AUTHSVC_COOKIE_SECRET has fewer than ${minLength} characters. ${fix}`);
  let keys: Promise<CryptoKey[]> | undefined;
  // Not at once: Workers allow no cryptography before the first request.
  const allKeys = async (): Promise<CryptoKey[]> => await (keys ??= Promise.all(secrets.map(deriveKey)));

  return {
    /** `purpose`: the name of the cookie, so that none is accepted in place of another. */
    async seal(purpose: string, value: object): Promise<string> {
      const [key] = await allKeys();
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const encrypted = await crypto.subtle.encrypt(
        parameters(iv, purpose),
        key as CryptoKey,
        utf8(JSON.stringify(value)),
      );
      const sealed = new Uint8Array(ivLength + encrypted.byteLength);
      sealed.set(iv);
      sealed.set(new Uint8Array(encrypted), ivLength);
      return toBase64Url(sealed);
    },

    /** Undefined if none of the secrets decrypts it. */
    async open(purpose: string, text: string): Promise<unknown> {
      for (const key of await allKeys()) {
        try {
          const sealed = fromBase64Url(text);
          const iv = sealed.subarray(0, ivLength);
          const opened = await crypto.subtle.decrypt(parameters(iv, purpose), key, sealed.subarray(ivLength));
          return JSON.parse(toText(opened));
        } catch {
          // Encrypted by another secret, changed, or something else.
        }
      }
      return undefined;
    },
  };
}

function parameters(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: "AES-GCM", iv, additionalData: utf8(purpose) };
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", utf8(secret), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8("authsvc cookies 1") };
  return await crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [
    "encrypt",
    "decrypt",
  ]);
}
