import type { Actor, Audit } from "../audit/audit.ts";
import { day, hour, isoTime, minute, second, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Storage } from "../storage/storage.ts";
import { importPublicKey, type SigningAlgorithm, type SigningKey, type VerificationKey } from "./jwt.ts";
import { decryptSigningKey, newSigningKey } from "./new-signing-key.ts";
import { describeGenerations, signingKeyAt, type SigningKeyAnswer } from "./signing-key-line.ts";
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeyIds,
  listSigningKeys,
  type SigningKeyRow,
} from "./signing-key-store.ts";

/** A key signs for 30 days. Its successor is published a day earlier, so that every cache of the key set knows it before its first token. */
const signsFor = 30 * day;
const publishedBefore = day;
/** How long verifiers may cache the key set; sent with `/.well-known/jwks.json`. */
export const keySetMaxAgeSeconds = 600;
const rereadAfter = minute;
const algorithms = ["ES256", "EdDSA", "RS256"] as const;
/** RFC 7638 with SHA-256: anything else is no key of ours, and not worth a read. */
const kidForm = /^[A-Za-z0-9_-]{43}$/u;

type LoadedKey = VerificationKey & { row: SigningKeyRow };

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/**
 * The keys that sign access tokens, one line of generations for each algorithm, made when an algorithm is first used.
 * `tokenSeconds` is the longest that a token lives.
 */
export function createSigningKeys(deps: {
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  clock: Clock;
  tokenSeconds: number;
}) {
  const { storage, keyring, audit, clock } = deps;
  /** A key that signs no more stays published until its last token has expired, with an hour to spare for clocks. */
  const keptAfter = deps.tokenSeconds * second + hour;
  const publicKeys = new Map<string, LoadedKey>();
  const privateKeys = new Map<string, SigningKey>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const ids = await listSigningKeyIds(storage.reader);
    for (const id of publicKeys.keys()) {
      if (!ids.includes(id)) {
        publicKeys.delete(id);
        privateKeys.delete(id);
      }
    }
    if (ids.some((id) => !publicKeys.has(id))) await readRows();
    readAt = clock();
  }

  async function readRows(): Promise<void> {
    for (const row of await listSigningKeys(storage.reader)) {
      const { id, algorithm, publicJwk } = row;
      if (!publicKeys.has(id)) publicKeys.set(id, { id, algorithm, publicKey: importPublicKey(publicJwk), row });
    }
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

  async function create(algorithm: SigningAlgorithm, generation: number, signsFrom: number): Promise<void> {
    const row = await newSigningKey(algorithm, generation, signsFrom, clock(), keyring);
    // Where another node was first, its key is the one.
    await storage.write((tx) => insertSigningKey(tx, row));
    // Not `readOnce`, which may join a read that began before this write.
    await read();
  }

  return {
    /** The key to sign with now, read each time: a command may have made another one sign. Makes the first one of an algorithm. */
    async forSigning(algorithm: SigningAlgorithm): Promise<SigningKey> {
      await readOnce();
      const now = clock();
      let row = signingKeyAt(generations(algorithm), now);
      if (!row) {
        await create(algorithm, 1, now);
        row = signingKeyAt(generations(algorithm), now);
        if (!row) throw new Error(`no signing key for ${algorithm}`);
      }
      let key = privateKeys.get(row.id);
      if (!key) {
        key = decryptSigningKey(row, keyring);
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
      if (kid !== undefined && kidForm.test(kid) && !publicKeys.has(kid)) await readOnce();
      else await readIfOlderThan(rereadAfter);
    },

    /** The JSON Web Key Set (RFC 7517): public members only. While storage does not answer, the keys known here go on being published. */
    async keySet(): Promise<{ keys: Record<string, unknown>[] }> {
      await readOnce().catch((error: unknown) => {
        if (publicKeys.size === 0) throw error;
      });
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
      for (const algorithm of algorithms) {
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

    /** Every published key, by algorithm and age. */
    async list(): Promise<SigningKeyAnswer[]> {
      await readOnce();
      const now = clock();
      return algorithms.flatMap((algorithm) => describeGenerations(generations(algorithm), now, keptAfter));
    },

    /**
     * What an operator asks for: a successor of the key of every algorithm in use (of ES256 where there is none), published at once.
     * It signs a day later, and a successor that already waits stays the one; or, with `atOnce`, a new key signs from this moment.
     * Answers the newest key of each; a dry run, what it would be. Throws CONFLICT when somebody else rotates at the same moment.
     */
    async rotateByCommand(
      { atOnce, dryRun }: { atOnce: boolean; dryRun: boolean },
      actor: Actor,
    ): Promise<SigningKeyAnswer[]> {
      await readOnce();
      const now = clock();
      const inUse = algorithms.filter((algorithm) => generations(algorithm).length > 0);
      const due = (inUse.length === 0 ? (["ES256"] as const) : inUse).filter(
        (algorithm) => atOnce || (generations(algorithm).at(-1)?.signsFrom ?? 0) <= now,
      );
      const successors = await Promise.all(
        due.map((algorithm) => {
          const newest = generations(algorithm).at(-1);
          const signsFrom = atOnce || !newest ? now : now + publishedBefore;
          return newSigningKey(algorithm, (newest?.generation ?? 0) + 1, signsFrom, now, keyring);
        }),
      );
      if (!dryRun) {
        await storage.write(async (tx) => {
          for (const row of successors) {
            if (!(await insertSigningKey(tx, row)))
              throw new AppError("CONFLICT", "The signing keys are being rotated by somebody else at this moment.");
            const details = { keyId: row.id, algorithm: row.algorithm, signsFrom: isoTime(row.signsFrom) };
            await audit.record(tx, { actor, action: "signing-key.rotate", result: "success", details }, now);
          }
        });
        await read();
      }
      return algorithms.flatMap((algorithm) => {
        const successor = successors.filter((row) => row.algorithm === algorithm);
        const known = generations(algorithm).filter((row) => row.id !== successor[0]?.id);
        return describeGenerations([...known, ...successor], now, keptAfter).slice(-1);
      });
    },
  };
}
