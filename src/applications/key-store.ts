import { and, asc, count, eq, gt, isNull, lt, or } from "drizzle-orm";
import type { RecordUse } from "../storage/queries/last-uses.ts";
import type { Handle } from "../storage/storage.ts";

/** A server's credential; only the key's digest is stored. Instants are epoch milliseconds. */
export type ApiKey = {
  id: string;
  appId: string;
  keyDigest: string;
  label: string | null;
  /** Accurate to an hour; null if never used. */
  lastUsedAt: number | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
};

/** False if the same key is already in use. */
export async function insertApiKey({ db, tables: { apiKeys } }: Handle, key: ApiKey): Promise<boolean> {
  const inserted = await db.insert(apiKeys).values(key).onConflictDoNothing().returning({ id: apiKeys.id });
  return inserted.length === 1;
}

/** All keys or those of one application, oldest first, including those that have ended. */
export async function listApiKeys({ db, tables: { apiKeys } }: Handle, appId: string | undefined): Promise<ApiKey[]> {
  return await db
    .select()
    .from(apiKeys)
    .where(appId === undefined ? undefined : eq(apiKeys.appId, appId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}

/**
 * Ends an application's live keys at `expiresAt` unless they end sooner; returns the changed ones.
 * With `revokedAt`, they have ended whatever a clock says later.
 */
export async function expireApiKeys(
  { db, tables: { apiKeys } }: Handle,
  appId: string,
  { expiresAt, revokedAt }: { expiresAt: number; revokedAt: number | null },
): Promise<ApiKey[]> {
  const later = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, expiresAt));
  return await db
    .update(apiKeys)
    .set({ expiresAt, revokedAt })
    .where(and(eq(apiKeys.appId, appId), isNull(apiKeys.revokedAt), later))
    .returning();
}

/** The key, if this call revoked it; undefined if it does not exist or was revoked before. */
export async function revokeApiKey(
  { db, tables: { apiKeys } }: Handle,
  id: string,
  now: number,
): Promise<ApiKey | undefined> {
  const [row] = await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning();
  return row;
}

export async function countLiveApiKeys(
  { db, tables: { apiKeys } }: Handle,
  appId: string,
  now: number,
): Promise<number> {
  const live = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
  const [row] = await db
    .select({ count: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.appId, appId), live));
  return row?.count ?? 0;
}

/** Unless a use at `notAfter` or later is already recorded. */
export async function recordApiKeyUse(
  { db, tables: { apiKeys } }: Handle,
  { key: keyDigest, usedAt, notAfter }: Parameters<RecordUse>[1],
): Promise<void> {
  const isLater = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, notAfter));
  await db
    .update(apiKeys)
    .set({ lastUsedAt: usedAt })
    .where(and(eq(apiKeys.keyDigest, keyDigest), isLater));
}

export async function removeApiKeysEndedBefore({ db, tables: { apiKeys } }: Handle, before: number): Promise<void> {
  await db.delete(apiKeys).where(or(lt(apiKeys.revokedAt, before), lt(apiKeys.expiresAt, before)));
}

export async function removeApiKey({ db, tables: { apiKeys } }: Handle, id: string): Promise<void> {
  await db.delete(apiKeys).where(eq(apiKeys.id, id));
}

export async function findApiKey({ db, tables: { apiKeys } }: Handle, id: string): Promise<ApiKey | undefined> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, id));
  return row;
}

export async function findApiKeyByDigest(
  { db, tables: { apiKeys } }: Handle,
  keyDigest: string,
): Promise<ApiKey | undefined> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.keyDigest, keyDigest));
  return row;
}
