import { and, eq, lt, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import { failuresOfLongestWait, waitSecondsAfter } from "./rules.ts";

export type Password = { id: string; userId: string; hash: string };

const prepared = statements(({ db, tables: { passwords } }) => ({
  byUser: prepare(
    db
      .select({ id: passwords.id, userId: passwords.userId, hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, sql.placeholder("userId"))),
    "password_of_user",
  ),
}));

export async function findPassword(handle: Handle, userId: string): Promise<Password | undefined> {
  const [row] = await prepared(handle).byUser.execute({ userId });
  return row;
}

export async function insertPassword(
  { db, tables: { passwords } }: Handle,
  password: Password,
  now: number,
): Promise<void> {
  await db.insert(passwords).values({ ...password, createdAt: now, updatedAt: now, lastUsedAt: now });
}

export async function deletePasswordsOfUser({ db, tables: { passwords } }: Handle, userId: string): Promise<void> {
  await db.delete(passwords).where(eq(passwords.userId, userId));
}

/** Notes a use of the password that was proven, and stores its new hash; false when the row is no longer the one that was proven. */
export async function notePasswordUse(
  { db, tables: { passwords } }: Handle,
  proven: Password,
  hash: string,
  now: number,
): Promise<boolean> {
  const noted = await db
    .update(passwords)
    .set({ lastUsedAt: now, hash })
    .where(and(eq(passwords.id, proven.id), eq(passwords.hash, proven.hash)))
    .returning({ id: passwords.id });
  return noted.length === 1;
}

/**
 * Counts a try as failed before it is checked, and says whether it may be checked at all: one conditional write, so that of parallel tries
 * no more get through than of tries in a row. A refused try writes as well, because it must take as long as any other.
 */
export async function countPasswordTry(
  { db, tables: { passwordFailures } }: Handle,
  accountDigest: string,
  now: number,
): Promise<boolean> {
  const { failures, blockedUntil } = passwordFailures;
  const admitted = sql`${blockedUntil} <= ${now}`;
  const waits = Array.from(
    { length: failuresOfLongestWait },
    (_, known) => `WHEN ${known} THEN ${waitSecondsAfter(known + 1) * 1000}`,
  );
  const wait = sql`CASE ${failures} ${sql.raw(waits.join(" "))} ELSE ${sql.raw(String(waitSecondsAfter(failuresOfLongestWait) * 1000))} END`;
  const [row] = await db
    .insert(passwordFailures)
    .values({ accountDigest, failures: 1, blockedUntil: now, admitted: true, updatedAt: now })
    .onConflictDoUpdate({
      target: passwordFailures.accountDigest,
      set: {
        failures: sql`CASE WHEN ${admitted} THEN ${failures} + 1 ELSE ${failures} END`,
        blockedUntil: sql`CASE WHEN ${admitted} THEN CAST(${now} AS bigint) + ${wait} ELSE ${blockedUntil} END`,
        admitted,
        updatedAt: now,
      },
    })
    .returning({ admitted: passwordFailures.admitted });
  return row?.admitted === true;
}

export async function forgetPasswordFailures(
  { db, tables: { passwordFailures } }: Handle,
  accountDigest: string,
): Promise<void> {
  await db.delete(passwordFailures).where(eq(passwordFailures.accountDigest, accountDigest));
}

/** Forgets failures of accounts that nobody has tried since `triedBefore`. */
export async function sweepPasswordFailures(
  { db, tables: { passwordFailures } }: Handle,
  triedBefore: number,
): Promise<void> {
  await db.delete(passwordFailures).where(lt(passwordFailures.updatedAt, triedBefore));
}
