import type { KeySet } from "./api.ts";
import { getDocument } from "./call.ts";
import { createOnce } from "./once.ts";
import { never } from "./recent.ts";
import type { Settings } from "./settings.ts";

export type VerificationKey = {
  key: CryptoKey;
  /** The `alg` of its tokens. */
  alg: string;
  /** For WebCrypto. */
  algorithm: Parameters<SubtleCrypto["verify"]>[0];
};

export type KeyRing = ReturnType<typeof createKeyRing>;

/** The `max-age` of the service's key set. */
const rereadAfter = 600_000;
/** While the set cannot be read, its keys stay valid for this long. */
const maxAge = 3_600_000;
/** An unknown key id is new, or made up: forged tokens cause at most one read in this time. */
const pauseBetweenReads = 10_000;

/** For WebCrypto, by `alg`: to import a key, and to verify by it. */
export const kinds = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
};

/** The service's published signing keys. */
export function createKeyRing(settings: Settings) {
  const { now } = settings;
  let keys = new Map<string, VerificationKey>();
  let readAt = never;
  /** A cache, or a read that began before, may still have them. */
  const withdrawn = new Set<string>();
  const once = createOnce<void>(settings);

  async function read(): Promise<void> {
    const count = withdrawn.size;
    const { keys: published } = (await getDocument(settings, "/.well-known/jwks.json")) as KeySet;
    const imported = await Promise.all(published.map(importKey));
    keys = new Map(imported.filter((entry) => entry !== undefined));
    for (const kid of withdrawn) keys.delete(kid);
    // If a key was withdrawn in the meantime, this set may lack its successor.
    if (withdrawn.size === count) readAt = now();
  }

  return {
    /** @throws AuthsvcError UNREACHABLE if the key set is needed and cannot be read. */
    async find(kid: string): Promise<VerificationKey | undefined> {
      const known = keys.get(kid);
      const age = Math.abs(now() - readAt);
      if (known && age < rereadAfter) return known;
      if (age < pauseBetweenReads) return undefined;
      const reading = once("", read);
      if (known && age < maxAge) {
        // No call waits while the set cannot be read.
        reading.catch(() => undefined);
        return known;
      }
      await reading;
      return keys.get(kid);
    },

    /** The key was withdrawn: the next call reads the set, because its successor signs at once. */
    forget(kid: string): void {
      withdrawn.add(kid);
      keys.delete(kid);
      readAt = never;
    },
  };
}

async function importKey(jwk: KeySet["keys"][number]): Promise<[string, VerificationKey] | undefined> {
  const algorithm = kinds[jwk.alg];
  if (algorithm === undefined) return undefined;
  try {
    const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
    return [jwk.kid, { key, alg: jwk.alg, algorithm }];
  } catch {
    // A platform without this algorithm; the other keys still work.
    return undefined;
  }
}
