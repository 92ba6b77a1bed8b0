import { and, eq, lt, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";

/** A provider's account that signs a user in. (app, provider, subject) is the identity; the address is only what the provider said last. */
export type IdentityRow = {
  id: string;
  appId: string;
  userId: string;
  provider: string;
  subject: string;
  email: string | null;
  createdAt: number;
  lastUsedAt: number | null;
};

/** A sign-in that has gone to a provider and is expected back. */
export type StateRow = {
  digest: string;
  provider: string;
  /** Encrypted: the id is a capability, and is needed again when the browser comes back. */
  encryptedSessionId: string;
  browserDigest: string;
  expiresAt: number;
};

const prepared = statements(({ db, tables: { oauthIdentities } }) => ({
  bySubject: prepare(
    db
      .select()
      .from(oauthIdentities)
      .where(
        and(
          eq(oauthIdentities.appId, sql.placeholder("appId")),
          eq(oauthIdentities.provider, sql.placeholder("provider")),
          eq(oauthIdentities.subject, sql.placeholder("subject")),
        ),
      ),
    "oauth_identity",
  ),
}));

export async function findIdentity(
  handle: Handle,
  key: { appId: string; provider: string; subject: string },
): Promise<IdentityRow | undefined> {
  const [row] = await prepared(handle).bySubject.execute(key);
  return row;
}

/** False when the identity belongs to somebody already. */
export async function insertIdentity({ db, tables: { oauthIdentities } }: Handle, row: IdentityRow): Promise<boolean> {
  const inserted = await db
    .insert(oauthIdentities)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: oauthIdentities.id });
  return inserted.length === 1;
}

/** False when the identity was removed meanwhile. */
export async function noteIdentityUse(
  { db, tables: { oauthIdentities } }: Handle,
  id: string,
  use: { email: string | null; lastUsedAt: number },
): Promise<boolean> {
  const noted = await db
    .update(oauthIdentities)
    .set(use)
    .where(eq(oauthIdentities.id, id))
    .returning({ id: oauthIdentities.id });
  return noted.length === 1;
}

export async function deleteIdentitiesOfUser(
  { db, tables: { oauthIdentities } }: Handle,
  userId: string,
): Promise<void> {
  await db.delete(oauthIdentities).where(eq(oauthIdentities.userId, userId));
}

export async function insertState({ db, tables: { oauthStates } }: Handle, row: StateRow): Promise<void> {
  await db.insert(oauthStates).values(row);
}

/** Looks without using it up: only to frame a page. */
export async function findState(
  { db, tables: { oauthStates } }: Handle,
  digest: string,
): Promise<StateRow | undefined> {
  const [row] = await db.select().from(oauthStates).where(eq(oauthStates.digest, digest));
  return row;
}

/** Takes a state away, once. */
export async function consumeState(
  { db, tables: { oauthStates } }: Handle,
  digest: string,
): Promise<StateRow | undefined> {
  const [row] = await db.delete(oauthStates).where(eq(oauthStates.digest, digest)).returning();
  return row;
}

export async function sweepStates({ db, tables: { oauthStates } }: Handle, now: number): Promise<void> {
  await db.delete(oauthStates).where(lt(oauthStates.expiresAt, now));
}
