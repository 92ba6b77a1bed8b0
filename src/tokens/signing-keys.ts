/**
 * The keys that sign access tokens, in generations per algorithm. `tokenSeconds`: the longest life.
 */
import { day, hour, isoTime, minute, second } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { longestTokenSeconds } from "../lib/token-lives.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as revocationRecords from "../records/revocations/records.ts";
import type { Context } from "../runtime/context.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { SigningKey, VerificationKey } from "./jwt.ts";
import { decryptSigningKey, newSigningKey, sealed } from "./new-signing-key.ts";
import { publishedKeys } from "./published-keys.ts";
import { describeGenerations, expiredGenerations, signingKeyAt, type SigningKeyAnswer } from "./signing-key-answer.ts";
import { deleteSigningKeys, insertSigningKey, type SigningKeyRow } from "./signing-key-store.ts";

/**
 * A key signs for 30 days. Its successor is published a day earlier, so that all caches know it.
 */
const signsFor = 30 * day;
const publishedBefore = day;
/** How long verifiers may cache the key set; sent with `/.well-known/jwks.json`. */
export const keySetMaxAgeSeconds = 600;
const rereadAfter = minute;
/** The service always has a key of the first algorithm. */
const algorithms = ["ES256", "EdDSA", "RS256"] as const;
/** RFC 7638 with SHA-256. Any other form is not our key and needs no read. */
const kidForm = /^[A-Za-z0-9_-]{43}$/u;

/** After its last use a key stays published until all its tokens have expired, plus an hour. */
const keptAfter = longestTokenSeconds * second + hour;

function publishedKey(ctx: Context, id: string): { row: SigningKeyRow; rows: SigningKeyRow[] } {
  const key = publishedKeys(ctx).publicKeys.get(id);
  if (!key)
    throw new AppError("KEY_NOT_FOUND", "There is no signing key with this id.", {
      details: "To find it: authsvc signing-key list",
    });
  return { row: key.row, rows: publishedKeys(ctx).generations(key.algorithm) };
}

/** The first algorithm's active key. If the clock was set back, none is active: then any. */
function keyFor(ctx: Context, wanted: SigningAlgorithm[], now: number): SigningKey {
  const generations = wanted.map((algorithm) => publishedKeys(ctx).generations(algorithm));
  const row = generations.map((rows) => signingKeyAt(rows, now)).find((key) => key) ?? generations.flat()[0];
  if (!row) throw new Error(`no signing key for ${wanted[0]}`);
  let key = publishedKeys(ctx).privateKeys.get(row.id);
  if (!key) {
    key = decryptSigningKey(row, ctx.keyring);
    publishedKeys(ctx).privateKeys.set(row.id, key);
  }
  return key;
}

/**
 * The current signing key, read each time because a command may have changed it. A new
 * algorithm's first key is published now and signs later; until then `before` or another key
 * signs.
 */
export async function forSigning(
  ctx: Context,
  algorithm: SigningAlgorithm,
  before?: SigningAlgorithm,
): Promise<SigningKey> {
  const now = ctx.clock();
  await publishedKeys(ctx).createFirst(algorithm);
  return keyFor(ctx, [algorithm, ...(before ? [before] : []), ...algorithms], now);
}

/**
 * A key of this algorithm and no other: clients know it from the discovery document. The first
 * key signs at once: `keySet` has published it, or nobody has read the key set yet.
 */
export async function forSigningExactly(ctx: Context, algorithm: SigningAlgorithm): Promise<SigningKey> {
  const now = ctx.clock();
  await publishedKeys(ctx).createFirst(algorithm);
  return keyFor(ctx, [algorithm], now);
}

/**
 * Publishes the first key of an application's new algorithm, if needed. `atOnce`: it signs now.
 * Returns when the algorithm starts to sign; undefined if it already does.
 */
export async function announce(
  ctx: Context,
  algorithm: SigningAlgorithm,
  { atOnce, dryRun }: { atOnce: boolean; dryRun: boolean },
): Promise<{ signsFrom: number; waitMilliseconds: number } | undefined> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  const generations = publishedKeys(ctx).generations(algorithm);
  // If there is no key at all, the first token creates one that signs at once.
  if (publishedKeys(ctx).publicKeys.size === 0 || signingKeyAt(generations, now)) return undefined;
  const signsFrom = atOnce ? now : (generations[0]?.signsFrom ?? publishedKeys(ctx).firstSignsFrom(now));
  if (!dryRun && (atOnce || generations.length === 0))
    await publishedKeys(ctx).create(algorithm, (generations.at(-1)?.generation ?? 0) + 1, signsFrom);
  return atOnce ? undefined : { signsFrom, waitMilliseconds: signsFrom - now };
}

/** The known key with this `kid`; undefined if it is not, or no longer, ours. */
export function find(ctx: Context, kid: string): VerificationKey | undefined {
  return publishedKeys(ctx).publicKeys.get(kid);
}

/** Loads changes by other nodes: at once for an unknown `kid`, else once a minute. */
export async function refresh(ctx: Context, kid: string | undefined): Promise<void> {
  if (kid !== undefined && kidForm.test(kid) && !publishedKeys(ctx).publicKeys.has(kid))
    await publishedKeys(ctx).readOnce();
  else await publishedKeys(ctx).readIfOlderThan(rereadAfter);
}

/**
 * The JSON Web Key Set (RFC 7517). If storage fails, or cannot be written, the known keys stay
 * published.
 */
export async function keySet(ctx: Context): Promise<{ keys: Record<string, unknown>[] }> {
  await publishedKeys(ctx)
    .readOnce()
    .then(publishedKeys(ctx).publishFirst)
    .catch((error: unknown) => {
      if (publishedKeys(ctx).publicKeys.size === 0) throw error;
    });
  const keys = [...publishedKeys(ctx).publicKeys.values()].map(({ id, algorithm, row }) => ({
    ...row.publicJwk,
    kid: id,
    alg: algorithm,
    use: "sig",
  }));
  return { keys };
}

/** Publishes successors a day early and removes expired keys. Called periodically. */
export async function rotate(ctx: Context): Promise<void> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  for (const algorithm of algorithms) {
    const rows = publishedKeys(ctx).generations(algorithm);
    const newest = rows.at(-1);
    if (newest && newest.signsFrom + signsFor - publishedBefore <= now) {
      await publishedKeys(ctx).create(
        algorithm,
        newest.generation + 1,
        Math.max(newest.signsFrom + signsFor, now + publishedBefore),
      );
    }
    const expired = expiredGenerations(rows, now, keptAfter).map(({ id }) => id);
    if (expired.length > 0) await ctx.storage.write((tx) => deleteSigningKeys(tx, expired));
  }
  await publishedKeys(ctx).readOnce();
}

/** Algorithms whose successor should have been published a day ago or earlier. */
export async function late(ctx: Context): Promise<{ algorithm: SigningAlgorithm; dueAt: number }[]> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  return algorithms.flatMap((algorithm) => {
    const newest = publishedKeys(ctx).generations(algorithm).at(-1);
    const dueAt = (newest?.signsFrom ?? now) + signsFor - publishedBefore;
    return dueAt + day <= now ? [{ algorithm, dueAt }] : [];
  });
}

/** Every published key, by algorithm and age. */
export async function list(ctx: Context): Promise<SigningKeyAnswer[]> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  return algorithms.flatMap((algorithm) =>
    describeGenerations(publishedKeys(ctx).generations(algorithm), now, keptAfter),
  );
}

/**
 * Creates a successor for each algorithm in use (ES256 if none is). It is published now and
 * signs a day later; an already waiting successor is kept. `atOnce`: a new key signs now.
 * Returns the newest key of each algorithm, in a dry run the planned one. Throws CONFLICT on a
 * concurrent rotation.
 */
export async function rotateByCommand(
  ctx: Context,
  { atOnce, dryRun }: { atOnce: boolean; dryRun: boolean },
  by: By,
): Promise<SigningKeyAnswer[]> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  const inUse = algorithms.filter((algorithm) => publishedKeys(ctx).generations(algorithm).length > 0);
  const due = (inUse.length === 0 ? (["ES256"] as const) : inUse).filter(
    (algorithm) => atOnce || (publishedKeys(ctx).generations(algorithm).at(-1)?.signsFrom ?? 0) <= now,
  );
  const successors = await Promise.all(
    due.map((algorithm) => {
      const newest = publishedKeys(ctx).generations(algorithm).at(-1);
      const signsFrom = atOnce || !newest ? now : now + publishedBefore;
      return newSigningKey(algorithm, (newest?.generation ?? 0) + 1, signsFrom, now);
    }),
  );
  if (!dryRun) {
    await ctx.storage.write(async (tx) => {
      for (const row of successors) {
        if (!(await insertSigningKey(tx, await sealed(tx, row, ctx.keyring)))) throw concurrentRotation();
        const details = { keyId: row.id, algorithm: row.algorithm, signsFrom: isoTime(row.signsFrom) };
        await audit.record(ctx, tx, { ...by, action: "signing-key.rotate", result: "success", details }, now);
      }
    });
    await publishedKeys(ctx).read();
  }
  return algorithms.flatMap((algorithm) => {
    const successor = successors.filter((row) => row.algorithm === algorithm);
    const generations = publishedKeys(ctx)
      .generations(algorithm)
      .filter((row) => row.id !== successor[0]?.id);
    return describeGenerations([...generations, ...successor], now, keptAfter).slice(-1);
  });
}

/** When a key signs or signed (`until` infinite for the newest). Throws KEY_NOT_FOUND. */
export async function signingTime(ctx: Context, id: string): Promise<{ from: number; until: number }> {
  await publishedKeys(ctx).readOnce();
  const { row, rows } = publishedKey(ctx, id);
  const successor = rows.find(({ generation }) => generation > row.generation);
  return { from: row.signsFrom, until: successor?.signsFrom ?? Number.POSITIVE_INFINITY };
}

/**
 * Withdraws a key from the key set; every node refuses its tokens from the next call on. If it
 * was the current one, `replacement` signs at once. Throws KEY_NOT_FOUND; CONFLICT on a
 * concurrent rotation.
 */
export async function revoke(ctx: Context, id: string, by: By): Promise<{ replacement: string | null }> {
  await publishedKeys(ctx).readOnce();
  const now = ctx.clock();
  const { row, rows } = publishedKey(ctx, id);
  const { algorithm } = row;
  const generation = (rows.at(-1)?.generation ?? 0) + 1;
  const next = signingKeyAt(rows, now)?.id === id ? await newSigningKey(algorithm, generation, now, now) : undefined;
  const replacement = next?.id ?? null;
  await ctx.storage.write(async (tx) => {
    if (next && !(await insertSigningKey(tx, await sealed(tx, next, ctx.keyring)))) throw concurrentRotation();
    await deleteSigningKeys(tx, [id]);
    await revocationRecords.key(ctx, tx, id, now);
    const details = { keyId: id, algorithm, replacement };
    await audit.record(ctx, tx, { ...by, action: "signing-key.revoke", result: "success", details }, now);
  });
  await publishedKeys(ctx).read();
  return { replacement };
}

const concurrentRotation = () => new AppError("CONFLICT", "Another process is rotating the signing keys. Try again.");
