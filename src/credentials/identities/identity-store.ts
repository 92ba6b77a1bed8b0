import { and, count, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

/**
 * A user's identity at a provider, identified by (app, provider, issuer, subject). The address is
 * the latest one.
 */
export type IdentityRow = {
  id: string;
  appId: string;
  userId: string;
  provider: string;
  /** The directory of the subject (`directoryOf`); "" means the provider's current directory. */
  issuer: string;
  subject: string;
  email: string | null;
  createdAt: number;
  lastUsedAt: number | null;
};

/** A sign-in that was sent to a provider and has not returned yet. */
export type StateRow = {
  digest: string;
  provider: string;
  adds: boolean;
  /**
   * Encrypted, not hashed: the id is a capability that is needed again when the browser returns.
   */
  encryptedSessionId: string;
  browserDigest: string;
  expiresAt: number;
};

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { oauthIdentities: identities } = tables;
  const row = placeholders(identities);
  return {
    bySubject: prepare(
      db
        .select()
        .from(identities)
        .where(
          and(
            eq(identities.appId, row.appId),
            eq(identities.provider, row.provider),
            eq(identities.subject, row.subject),
            sql`${identities.issuer} IN (${row.issuer}, '')`,
          ),
        ),
      "oauth_identity",
    ),
    insert: prepare(
      db.insert(identities).values(row).onConflictDoNothing().returning({ id: identities.id }),
      "insert_oauth_identity",
    ),
    recordUse: prepare(
      db
        .update(identities)
        .set({ issuer: row.issuer, email: row.email, lastUsedAt: row.lastUsedAt })
        .where(eq(identities.id, row.id))
        .returning({ id: identities.id }),
      "note_oauth_identity_use",
    ),
    deleteOfUser: prepare(
      db.delete(identities).where(eq(identities.userId, row.userId)),
      "delete_oauth_identities_of_user",
    ),
    ...stateStatements(handle),
  };
});

function stateStatements(handle: Handle) {
  const { db, tables } = handle;
  const { oauthStates: states } = tables;
  const row = placeholders(states);
  return {
    insertState: prepare(db.insert(states).values(row), "insert_oauth_state"),
    stateByDigest: prepare(db.select().from(states).where(eq(states.digest, row.digest)), "oauth_state"),
    consumeState: prepare(db.delete(states).where(eq(states.digest, row.digest)).returning(), "consume_oauth_state"),
    sweepStates: prepareSweep(
      handle,
      { table: states, key: states.digest, instant: states.expiresAt },
      "sweep_oauth_states",
    ),
  };
}

export async function findIdentity(
  handle: Handle,
  key: { appId: string; provider: string; issuer: string; subject: string },
): Promise<IdentityRow | undefined> {
  const rows = await prepared(handle).bySubject.execute(key);
  return rows.find(({ issuer }) => issuer === key.issuer) ?? rows[0];
}

/** False if the identity already belongs to a user. */
export async function insertIdentity(tx: Handle, row: IdentityRow): Promise<boolean> {
  const inserted = await prepared(tx).insert.execute(row satisfies Row<"oauthIdentities">);
  return inserted.length === 1;
}

/** False if the identity was removed. */
export async function recordIdentityUse(
  tx: Handle,
  id: string,
  use: { issuer: string; email: string | null; lastUsedAt: number },
): Promise<boolean> {
  const noted = await prepared(tx).recordUse.execute({ ...use, id });
  return noted.length === 1;
}

/**
 * The number of an application's identities at the provider, by directory; without `except` and "".
 */
export async function countIdentities(
  { db, tables: { oauthIdentities: identities } }: Handle,
  appId: string,
  provider: string,
  except?: string,
): Promise<Map<string, number>> {
  const { issuer } = identities;
  // As ranges, so that the index is used: nearly all rows are of one directory.
  const ranges = except === undefined ? [undefined] : [and(gt(issuer, ""), lt(issuer, except)), gt(issuer, except)];
  const found = ranges.map((range) =>
    db
      .select({ issuer, identities: count() })
      .from(identities)
      .where(and(eq(identities.appId, appId), eq(identities.provider, provider), range))
      .groupBy(issuer),
  );
  const rows = (await Promise.all(found)).flat();
  return new Map(rows.map((row) => [row.issuer, row.identities]));
}

/**
 * Moves identities to their directory's new name, unless the subject already has an identity there.
 */
export async function moveIdentities(
  { db, tables: { oauthIdentities: identities } }: Handle,
  { appId, provider, from, to }: { appId: string; provider: string; from: string[]; to: string },
): Promise<void> {
  const there = sql`SELECT 1 FROM oauth_identities there
    WHERE there.app_id = ${appId} AND there.provider = ${provider} AND there.issuer = ${to} AND there.subject = ${identities.subject}`;
  const moves = and(eq(identities.appId, appId), eq(identities.provider, provider), inArray(identities.issuer, from));
  await db
    .update(identities)
    .set({ issuer: to })
    .where(and(moves, sql`NOT EXISTS (${there})`));
}

export async function deleteIdentitiesOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).deleteOfUser.execute({ userId });
}

export async function insertState(tx: Handle, row: StateRow): Promise<void> {
  await prepared(tx).insertState.execute(row satisfies Row<"oauthStates">);
}

/** Reads a state without consuming it, only to frame a page. */
export async function findState(handle: Handle, digest: string): Promise<StateRow | undefined> {
  const [row] = await prepared(handle).stateByDigest.execute({ digest });
  return row;
}

/** Consumes a state, once. */
export async function consumeState(tx: Handle, digest: string): Promise<StateRow | undefined> {
  const [row] = await prepared(tx).consumeState.execute({ digest });
  return row;
}

/** Removes a batch of states that ended before `expiredBefore`; true if more may be left. */
export async function sweepStates(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweepStates(expiredBefore);
}
