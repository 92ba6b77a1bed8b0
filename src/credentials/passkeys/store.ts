import { and, count, eq, gt, sql } from "drizzle-orm";
import type { PasskeyCeremony } from "../../storage/column-types.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";
import type { VerifiedAssertion } from "./webauthn.ts";

export type Passkey = {
  id: string;
  userId: string;
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  aaguid: string;
  backedUp: boolean;
  backupEligible: boolean | null;
  discoverable: boolean;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
};

export type Challenge = {
  digest: string;
  sessionDigest: string;
  browserDigest: string;
  ceremony: PasskeyCeremony;
  userHandle: string | null;
  email: string | null;
  name: string | null;
  expiresAt: number;
};

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { passkeys, users } = tables;
  const row = placeholders(passkeys);
  return {
    /** A passkey is valid only in its user's application. */
    byCredential: prepare(
      db
        .select({ passkey: passkeys, handle: users.handle })
        .from(passkeys)
        .innerJoin(users, eq(users.id, passkeys.userId))
        .where(and(eq(passkeys.credentialId, row.credentialId), eq(users.appId, sql.placeholder("appId")))),
      "passkey_by_credential",
    ),
    /** In any application. */
    known: prepare(
      db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.credentialId, row.credentialId)),
      "passkey_is_known",
    ),
    ofUser: prepare(db.select().from(passkeys).where(eq(passkeys.userId, row.userId)), "list_passkeys_of_user"),
    anyOfUser: prepare(
      db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, row.userId)).limit(1),
      "any_passkey_of_user",
    ),
    countOfUser: prepare(
      db.select({ count: count() }).from(passkeys).where(eq(passkeys.userId, row.userId)),
      "count_passkeys_of_user",
    ),
    insert: prepare(
      db.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id }),
      "insert_passkey",
    ),
    deleteOfUser: prepare(db.delete(passkeys).where(eq(passkeys.userId, row.userId)), "delete_passkeys_of_user"),
    recordUse: prepare(
      db
        .update(passkeys)
        .set({
          signCount: row.signCount,
          backedUp: row.backedUp,
          backupEligible: row.backupEligible,
          lastUsedAt: row.lastUsedAt,
        })
        .where(eq(passkeys.id, row.id))
        .returning({ id: passkeys.id }),
      "note_passkey_use",
    ),
    ...challengeStatements(handle),
  };
});

function challengeStatements(handle: Handle) {
  const { db, tables } = handle;
  const { passkeyChallenges: challenges } = tables;
  const row = placeholders(challenges);
  return {
    insertChallenge: prepare(db.insert(challenges).values(row), "insert_passkey_challenge"),
    consumeChallenge: prepare(
      db
        .delete(challenges)
        .where(
          and(
            eq(challenges.digest, row.digest),
            eq(challenges.sessionDigest, row.sessionDigest),
            eq(challenges.browserDigest, row.browserDigest),
            eq(challenges.ceremony, row.ceremony),
            gt(challenges.expiresAt, sql.placeholder("now")),
          ),
        )
        .returning(),
      "consume_passkey_challenge",
    ),
    sweepChallenges: prepareSweep(
      handle,
      { table: challenges, key: challenges.digest, instant: challenges.expiresAt },
      "sweep_passkey_challenges",
    ),
  };
}

export async function findPasskey(
  handle: Handle,
  appId: string,
  credentialId: string,
): Promise<{ passkey: Passkey; handle: string } | undefined> {
  const [row] = await prepared(handle).byCredential.execute({ appId, credentialId });
  return row;
}

/** Whether any application has this credential. */
export async function isCredentialKnown(handle: Handle, credentialId: string): Promise<boolean> {
  const rows = await prepared(handle).known.execute({ credentialId });
  return rows.length > 0;
}

export async function listPasskeys(handle: Handle, userId: string): Promise<Passkey[]> {
  return await prepared(handle).ofUser.execute({ userId });
}

export async function hasPasskey(handle: Handle, userId: string): Promise<boolean> {
  const rows = await prepared(handle).anyOfUser.execute({ userId });
  return rows.length > 0;
}

export async function countPasskeys(handle: Handle, userId: string): Promise<number> {
  const [row] = await prepared(handle).countOfUser.execute({ userId });
  return row?.count ?? 0;
}

/** False if the credential is already registered, for any user (WebAuthn §7.1). */
export async function insertPasskey(tx: Handle, passkey: Passkey): Promise<boolean> {
  const inserted = await prepared(tx).insert.execute(passkey satisfies Row<"passkeys">);
  return inserted.length === 1;
}

export async function deletePasskeysOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).deleteOfUser.execute({ userId });
}

/** False if the passkey was removed. */
export async function recordPasskeyUse(
  tx: Handle,
  id: string,
  use: VerifiedAssertion & { lastUsedAt: number },
): Promise<boolean> {
  const noted = await prepared(tx).recordUse.execute({ ...use, id });
  return noted.length === 1;
}

export async function insertChallenge(tx: Handle, challenge: Challenge): Promise<void> {
  await prepared(tx).insertChallenge.execute(challenge satisfies Row<"passkeyChallenges">);
}

/**
 * Consumes a challenge of this session, browser and ceremony; undefined if it does not exist any
 * more.
 */
export async function consumeChallenge(
  tx: Handle,
  expected: Pick<Challenge, "digest" | "sessionDigest" | "browserDigest" | "ceremony">,
  now: number,
): Promise<Challenge | undefined> {
  const [challenge] = await prepared(tx).consumeChallenge.execute({ ...expected, now });
  return challenge;
}

/** Removes a batch of challenges that ended before `expiredBefore`; true if more may be left. */
export async function sweepChallenges(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweepChallenges(expiredBefore);
}
