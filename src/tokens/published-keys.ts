import { minute } from "../lib/clock.ts";
import { part, type Context } from "../runtime/context.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import { importPublicKey, type SigningKey, type VerificationKey } from "./jwt.ts";
import { newSigningKey, sealed } from "./new-signing-key.ts";
import {
  insertSigningKey,
  listIdTokenAlgorithms,
  listSigningKeyIds,
  listSigningKeys,
  type SigningKeyRow,
} from "./signing-key-store.ts";

/** Within this time, an algorithm's first key reaches all caches of the key set. */
const firstPublishedBefore = 15 * minute;
/** Of access tokens and of ID tokens. */
const defaultAlgorithms = ["ES256", "RS256"] as const;

type LoadedKey = VerificationKey & { row: SigningKeyRow };

/** The keys of the key set as this process last read them; also creates new ones. */
export const publishedKeys = part(openPublishedKeys);

function openPublishedKeys(ctx: Context) {
  const publicKeys = new Map<string, LoadedKey>();
  const privateKeys = new Map<string, SigningKey>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let publishing: Promise<void> | undefined;

  /** Loads new keys and forgets removed ones. */
  async function read(): Promise<void> {
    const ids = await listSigningKeyIds(ctx.storage.reader);
    for (const id of publicKeys.keys()) {
      if (!ids.includes(id)) {
        publicKeys.delete(id);
        privateKeys.delete(id);
      }
    }
    if (ids.some((id) => !publicKeys.has(id))) await readRows();
    readAt = ctx.clock();
  }

  async function readRows(): Promise<void> {
    for (const row of await listSigningKeys(ctx.storage.reader)) {
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
    const elapsed = ctx.clock() - readAt;
    // A clock that was set back counts as stale too.
    if (elapsed >= age || elapsed < 0) await readOnce();
  }

  /** An algorithm's keys, oldest first. */
  function generations(algorithm: SigningAlgorithm): SigningKeyRow[] {
    return [...publicKeys.values()]
      .filter((key) => key.algorithm === algorithm)
      .map((key) => key.row)
      .toSorted((a, b) => a.generation - b.generation);
  }

  async function create(algorithm: SigningAlgorithm, generation: number, signsFrom: number): Promise<void> {
    const row = await newSigningKey(algorithm, generation, signsFrom, ctx.clock());
    // If another node was first, its key is used.
    await ctx.storage.write(async (tx) => insertSigningKey(tx, await sealed(tx, row, ctx.keyring)));
    // Not `readOnce`, which may join a read that began before this write.
    await read();
  }

  /** While the key set is empty, nobody can have cached it. */
  function firstSignsFrom(now: number): number {
    return publicKeys.size === 0 ? now : now + firstPublishedBefore;
  }

  async function createAllFirst(): Promise<void> {
    const wanted = new Set<SigningAlgorithm>([
      ...defaultAlgorithms,
      ...(await listIdTokenAlgorithms(ctx.storage.reader)),
    ]);
    const signsFrom = firstSignsFrom(ctx.clock());
    for (const algorithm of wanted) if (generations(algorithm).length === 0) await create(algorithm, 1, signsFrom);
  }

  return {
    publicKeys,

    privateKeys,

    read,

    /** The same; concurrent callers share one read. */
    readOnce,

    readIfOlderThan,

    generations,

    create,

    firstSignsFrom,

    async createFirst(algorithm: SigningAlgorithm): Promise<void> {
      await readOnce();
      if (generations(algorithm).length === 0) await create(algorithm, 1, firstSignsFrom(ctx.clock()));
    },

    /**
     * Creates the first keys of all algorithms that may soon be needed, so that every cache of the
     * key set has them before they sign.
     */
    async publishFirst(): Promise<void> {
      publishing ??= createAllFirst().finally(() => {
        publishing = undefined;
      });
      await publishing;
    },
  };
}
