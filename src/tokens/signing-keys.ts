import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { day, hour, minute, second, type Clock } from "../lib/clock.ts";
import { keyThumbprint } from "../lib/jose.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import {
  importPrivateKey,
  importPublicKey,
  type SigningAlgorithm,
  type SigningKey,
  type VerificationKey,
} from "./jwt.ts";
import { deleteSigningKeys, insertSigningKey, listSigningKeys, type SigningKeyRow } from "./signing-key-store.ts";

/** A key signs for 30 days. Its successor is published a day earlier, so that every cache of the key set knows it before its first token. */
const signsFor = 30 * day;
const publishedBefore = day;
/** How long verifiers may cache the key set; sent with `/.well-known/jwks.json`. */
export const keySetMaxAgeSeconds = 600;
const rereadAfter = minute;
const generate = promisify(generateKeyPair);
const rereadForUnknownKeyAfter = second;

type LoadedKey = VerificationKey & { row: SigningKeyRow };

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The keys that sign access tokens, one line of generations for each algorithm, made when an algorithm is first used. */
export function createSigningKeys(deps: { storage: Storage; keyring: Keyring; clock: Clock; tokenSeconds: number }) {
  const { storage, keyring, clock } = deps;
  /** A key that signs no more stays published until its last token has expired, with an hour to spare for clocks. */
  const keptAfter = deps.tokenSeconds * second + hour;
  const publicKeys = new Map<string, LoadedKey>();
  const privateKeys = new Map<string, SigningKey>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const rows = await listSigningKeys(storage.reader);
    const ids = new Set(rows.map((row) => row.id));
    for (const row of rows) {
      if (!publicKeys.has(row.id)) {
        publicKeys.set(row.id, {
          id: row.id,
          algorithm: row.algorithm,
          publicKey: importPublicKey(row.publicJwk),
          row,
        });
      }
    }
    for (const id of publicKeys.keys()) {
      if (!ids.has(id)) {
        publicKeys.delete(id);
        privateKeys.delete(id);
      }
    }
    readAt = clock();
  }

  async function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  async function readIfOlderThan(age: number): Promise<void> {
    const elapsed = clock() - readAt;
    // A clock that was set back counts as stale too.
    if (elapsed >= age || elapsed < 0) await readOnce();
  }

  function generations(algorithm: SigningAlgorithm): SigningKeyRow[] {
    return [...publicKeys.values()]
      .filter((key) => key.algorithm === algorithm)
      .map((key) => key.row)
      .toSorted((a, b) => a.generation - b.generation);
  }

  /** The row that signs at `now`: the newest whose time has come. The first one signs at any time, or a clock set back would stop the service. */
  function signingRow(algorithm: SigningAlgorithm, now: number): SigningKeyRow | undefined {
    const rows = generations(algorithm);
    return rows.findLast((row) => row.signsFrom <= now) ?? rows[0];
  }

  async function create(algorithm: SigningAlgorithm, generation: number, signsFrom: number): Promise<void> {
    const row = await newSigningKey(algorithm, generation, signsFrom, clock(), keyring);
    // Where another node was first, its key is the one.
    await storage.write((tx) => insertSigningKey(tx, row));
    // Not `readOnce`, which may join a read that began before this write.
    await read();
  }

  return {
    /** The key to sign with now; makes the first one of an algorithm. */
    async forSigning(algorithm: SigningAlgorithm): Promise<SigningKey> {
      await readIfOlderThan(rereadAfter);
      const now = clock();
      let row = signingRow(algorithm, now);
      if (!row) {
        await create(algorithm, 1, now);
        row = signingRow(algorithm, now);
        if (!row) throw new Error(`no signing key for ${algorithm}`);
      }
      let key = privateKeys.get(row.id);
      if (!key) {
        const jwk = JSON.parse(keyring.decrypt(row.encryptedPrivateJwk, encryptionContext(row.id))) as Record<
          string,
          unknown
        >;
        key = { id: row.id, algorithm, privateKey: importPrivateKey(jwk) };
        privateKeys.set(row.id, key);
      }
      return key;
    },

    /** The known key with this `kid`; undefined when it is not, or no longer, one of ours. */
    find(kid: string): VerificationKey | undefined {
      return publicKeys.get(kid);
    },

    /** Makes `find` see what other nodes and commands have changed; at once for a `kid` that nobody here knows, else once a minute. */
    async refresh(kid: string | undefined): Promise<void> {
      const unknown = kid !== undefined && !publicKeys.has(kid);
      await readIfOlderThan(unknown ? rereadForUnknownKeyAfter : rereadAfter);
    },

    /** The JSON Web Key Set (RFC 7517): public members only. */
    async keySet(): Promise<{ keys: Record<string, unknown>[] }> {
      await readIfOlderThan(rereadAfter);
      const keys = [...publicKeys.values()].map(({ id, algorithm, row }) => ({
        ...row.publicJwk,
        kid: id,
        alg: algorithm,
        use: "sig",
      }));
      return { keys };
    },

    /** Publishes successors a day before they sign, and removes keys whose last token has expired. Called now and then by the server. */
    async rotate(): Promise<void> {
      await readOnce();
      const now = clock();
      for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
        const rows = generations(algorithm);
        const newest = rows.at(-1);
        if (newest && newest.signsFrom + signsFor - publishedBefore <= now) {
          await create(algorithm, newest.generation + 1, Math.max(newest.signsFrom + signsFor, now + publishedBefore));
        }
        const expired = rows.filter((_, position) => {
          const successor = rows[position + 1];
          return successor !== undefined && successor.signsFrom + keptAfter < now;
        });
        if (expired.length > 0)
          await storage.write((tx) =>
            deleteSigningKeys(
              tx,
              expired.map((row) => row.id),
            ),
          );
      }
      await readOnce();
    },
  };
}

async function newSigningKey(
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
    encryptionContext(id),
  );
  return { id, algorithm, generation, publicJwk: { ...publicJwk }, encryptedPrivateJwk, createdAt: now, signsFrom };
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

function encryptionContext(keyId: string): string {
  return `signing_keys/${keyId}`;
}
