import { and, eq, gt, lt, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";

export type Passkey = {
  id: string;
  userId: string;
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  aaguid: string;
  backedUp: boolean;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
};

export type Challenge = {
  digest: string;
  sessionDigest: string;
  browserDigest: string;
  ceremony: "sign-in" | "sign-up";
  userHandle: string | null;
  email: string | null;
  name: string | null;
  expiresAt: number;
};

const prepared = statements(({ db, tables: { passkeys, users } }) => ({
  /** A passkey counts in the application of its user only. */
  byCredential: prepare(
    db
      .select({ passkey: passkeys, handle: users.handle })
      .from(passkeys)
      .innerJoin(users, eq(users.id, passkeys.userId))
      .where(
        and(eq(passkeys.credentialId, sql.placeholder("credentialId")), eq(users.appId, sql.placeholder("appId"))),
      ),
    "passkey_by_credential",
  ),
}));

export async function findPasskey(
  handle: Handle,
  appId: string,
  credentialId: string,
): Promise<{ passkey: Passkey; handle: string } | undefined> {
  const [row] = await prepared(handle).byCredential.execute({ appId, credentialId });
  return row;
}

export async function listPasskeys({ db, tables: { passkeys } }: Handle, userId: string): Promise<Passkey[]> {
  return await db.select().from(passkeys).where(eq(passkeys.userId, userId));
}

/** False when the credential is registered already, with whomever (WebAuthn §7.1). */
export async function insertPasskey({ db, tables: { passkeys } }: Handle, passkey: Passkey): Promise<boolean> {
  const inserted = await db.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id });
  return inserted.length === 1;
}

export async function deletePasskeysOfUser({ db, tables: { passkeys } }: Handle, userId: string): Promise<void> {
  await db.delete(passkeys).where(eq(passkeys.userId, userId));
}

/** False when the passkey was removed meanwhile. */
export async function notePasskeyUse(
  { db, tables: { passkeys } }: Handle,
  id: string,
  use: { signCount: number; backedUp: boolean; lastUsedAt: number },
): Promise<boolean> {
  const noted = await db.update(passkeys).set(use).where(eq(passkeys.id, id)).returning({ id: passkeys.id });
  return noted.length === 1;
}

export async function insertChallenge(
  { db, tables: { passkeyChallenges } }: Handle,
  challenge: Challenge,
): Promise<void> {
  await db.insert(passkeyChallenges).values(challenge);
}

/** Takes a challenge away, for the session, browser and ceremony that it was made for; undefined when there is none, or no longer. */
export async function consumeChallenge(
  { db, tables: { passkeyChallenges } }: Handle,
  expected: Pick<Challenge, "digest" | "sessionDigest" | "browserDigest" | "ceremony">,
  now: number,
): Promise<Challenge | undefined> {
  const [challenge] = await db
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.digest, expected.digest),
        eq(passkeyChallenges.sessionDigest, expected.sessionDigest),
        eq(passkeyChallenges.browserDigest, expected.browserDigest),
        eq(passkeyChallenges.ceremony, expected.ceremony),
        gt(passkeyChallenges.expiresAt, now),
      ),
    )
    .returning();
  return challenge;
}

export async function sweepChallenges({ db, tables: { passkeyChallenges } }: Handle, now: number): Promise<void> {
  await db.delete(passkeyChallenges).where(lt(passkeyChallenges.expiresAt, now));
}
