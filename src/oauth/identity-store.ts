import { and, eq } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";

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
  adds: boolean;
  /** Encrypted: the id is a capability, and is needed again when the browser comes back. */
  encryptedSessionId: string;
  browserDigest: string;
  expiresAt: number;
};

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { oauthIdentities: identities } = tables;
  const given = placeholders(identities);
  return {
    bySubject: prepare(
      db
        .select()
        .from(identities)
        .where(
          and(
            eq(identities.appId, given.appId),
            eq(identities.provider, given.provider),
            eq(identities.subject, given.subject),
          ),
        ),
      "oauth_identity",
    ),
    insert: prepare(
      db.insert(identities).values(given).onConflictDoNothing().returning({ id: identities.id }),
      "insert_oauth_identity",
    ),
    noteUse: prepare(
      db
        .update(identities)
        .set({ email: given.email, lastUsedAt: given.lastUsedAt })
        .where(eq(identities.id, given.id))
        .returning({ id: identities.id }),
      "note_oauth_identity_use",
    ),
    deleteOfUser: prepare(
      db.delete(identities).where(eq(identities.userId, given.userId)),
      "delete_oauth_identities_of_user",
    ),
    ...stateStatements(handle),
  };
});

function stateStatements(handle: Handle) {
  const { db, tables } = handle;
  const { oauthStates: states } = tables;
  const given = placeholders(states);
  return {
    insertState: prepare(db.insert(states).values(given), "insert_oauth_state"),
    stateByDigest: prepare(db.select().from(states).where(eq(states.digest, given.digest)), "oauth_state"),
    consumeState: prepare(db.delete(states).where(eq(states.digest, given.digest)).returning(), "consume_oauth_state"),
    sweepStates: prepareSweep(
      handle,
      { table: states, key: states.digest, instant: states.expiresAt },
      "sweep_oauth_states",
    ),
  };
}

export async function findIdentity(
  handle: Handle,
  key: { appId: string; provider: string; subject: string },
): Promise<IdentityRow | undefined> {
  const [row] = await prepared(handle).bySubject.execute(key);
  return row;
}

/** False when the identity belongs to somebody already. */
export async function insertIdentity(tx: Handle, row: IdentityRow): Promise<boolean> {
  const inserted = await prepared(tx).insert.execute(row satisfies Row<"oauthIdentities">);
  return inserted.length === 1;
}

/** False when the identity was removed meanwhile. */
export async function noteIdentityUse(
  tx: Handle,
  id: string,
  use: { email: string | null; lastUsedAt: number },
): Promise<boolean> {
  const noted = await prepared(tx).noteUse.execute({ ...use, id });
  return noted.length === 1;
}

export async function deleteIdentitiesOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).deleteOfUser.execute({ userId });
}

export async function insertState(tx: Handle, row: StateRow): Promise<void> {
  await prepared(tx).insertState.execute(row satisfies Row<"oauthStates">);
}

/** Looks without using it up: only to frame a page. */
export async function findState(handle: Handle, digest: string): Promise<StateRow | undefined> {
  const [row] = await prepared(handle).stateByDigest.execute({ digest });
  return row;
}

/** Takes a state away, once. */
export async function consumeState(tx: Handle, digest: string): Promise<StateRow | undefined> {
  const [row] = await prepared(tx).consumeState.execute({ digest });
  return row;
}

/** Removes a batch of states that ended before `expiredBefore`; true when more may be left. */
export async function sweepStates(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweepStates(expiredBefore);
}
