import { and, eq, sql, type SQL } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { prepareSweep } from "../storage/sweep.ts";
import { failuresOfLongestWait, freeFailures, mostFailures, waitSecondsAfter } from "./rules.ts";

/** `updatedAt`: when the password was chosen; a hash that is made anew for the same password leaves it alone. */
export type Password = { id: string; userId: string; hash: string; updatedAt: number };

/** In place of an instant at which an account may be tried again. */
const never = Number.MAX_SAFE_INTEGER;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { passwords } = tables;
  const { id, userId, hash, lastUsedAt, updatedAt } = placeholders(passwords);
  const isThis = and(eq(passwords.id, id), eq(passwords.updatedAt, updatedAt));
  return {
    byUser: prepare(
      db
        .select({
          id: passwords.id,
          userId: passwords.userId,
          hash: passwords.hash,
          updatedAt: passwords.updatedAt,
        })
        .from(passwords)
        .where(eq(passwords.userId, userId)),
      "password_of_user",
    ),
    insert: prepare(db.insert(passwords).values(placeholders(passwords)), "insert_password"),
    change: prepare(
      db
        .update(passwords)
        // Later than before even within one millisecond: a proof names the password by this.
        .set({
          hash,
          updatedAt: sql`CASE WHEN ${updatedAt} > ${passwords.updatedAt} THEN CAST(${updatedAt} AS bigint) ELSE ${passwords.updatedAt} + 1 END`,
        })
        .where(eq(passwords.userId, userId))
        .returning({ id: passwords.id }),
      "change_password",
    ),
    deleteOfUser: prepare(db.delete(passwords).where(eq(passwords.userId, userId)), "delete_passwords_of_user"),
    noteUse: prepare(
      db.update(passwords).set({ lastUsedAt }).where(isThis).returning({ id: passwords.id }),
      "note_password_use",
    ),
    renewHash: prepare(db.update(passwords).set({ hash }).where(isThis), "renew_password_hash"),
    ...failureStatements(handle),
  };
});

function failureStatements(handle: Handle) {
  const { db, tables } = handle;
  const { passwordFailures } = tables;
  const { accountDigest, updatedAt: now } = placeholders(passwordFailures);
  const { failures, blockedUntil } = passwordFailures;
  const admitted = sql`${blockedUntil} <= ${now}`;
  const isLast = sql`${failures} + 1 >= ${sql.raw(String(mostFailures))}`;
  const waits = Array.from(
    { length: failuresOfLongestWait },
    (_, known) => `WHEN ${known} THEN ${waitSecondsAfter(known + 1) * 1000}`,
  );
  const wait = sql`CASE ${failures} ${sql.raw(waits.join(" "))} ELSE ${sql.raw(String(waitSecondsAfter(failuresOfLongestWait) * 1000))} END`;
  const count = (counted: { first: number; failures: SQL; blockedUntil: SQL }, name: string) =>
    prepare(
      db
        .insert(passwordFailures)
        // Whoever need not wait is admitted by any clock: nodes' clocks differ, and a try may be older than the one that was counted before it.
        .values({ accountDigest, failures: counted.first, blockedUntil: 0, admitted: true, updatedAt: now })
        .onConflictDoUpdate({
          target: passwordFailures.accountDigest,
          set: {
            failures: sql`CASE WHEN ${admitted} THEN ${counted.failures} ELSE ${failures} END`,
            blockedUntil: sql`CASE WHEN ${admitted} THEN ${counted.blockedUntil} ELSE ${blockedUntil} END`,
            admitted,
            updatedAt: now,
          },
        })
        .returning({ admitted: passwordFailures.admitted }),
      name,
    );
  const isFree = sql`${failures} < ${sql.raw(String(freeFailures))}`;
  const blocked = sql`CASE WHEN ${isFree} THEN 0 WHEN ${isLast} THEN ${sql.raw(String(never))} ELSE CAST(${now} AS bigint) + ${wait} END`;
  return {
    countWrong: count({ first: 1, failures: sql`${failures} + 1`, blockedUntil: blocked }, "count_wrong_password"),
    countRight: count({ first: 0, failures: sql`0`, blockedUntil: sql`0` }, "count_right_password"),
    forgetFailures: prepare(
      db.delete(passwordFailures).where(eq(passwordFailures.accountDigest, accountDigest)),
      "forget_password_failures",
    ),
    sweepFailures: prepareSweep(
      handle,
      { table: passwordFailures, key: passwordFailures.accountDigest, instant: passwordFailures.updatedAt },
      "sweep_password_failures",
    ),
  };
}

export async function findPassword(handle: Handle, userId: string): Promise<Password | undefined> {
  const [row] = await prepared(handle).byUser.execute({ userId });
  return row;
}

export async function insertPassword(tx: Handle, password: Omit<Password, "updatedAt">, now: number): Promise<void> {
  const row = { ...password, createdAt: now, updatedAt: now, lastUsedAt: now } satisfies Row<"passwords">;
  await prepared(tx).insert.execute(row);
}

/** The id of the user's password, which is this one from now on; undefined when there was none. */
export async function changePassword(
  tx: Handle,
  userId: string,
  hash: string,
  now: number,
): Promise<string | undefined> {
  const [changed] = await prepared(tx).change.execute({ userId, hash, updatedAt: now });
  return changed?.id;
}

export async function deletePasswordsOfUser(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).deleteOfUser.execute({ userId });
}

/** Notes a use of the password that was proven; false when the row is no longer the one that was proven. */
export async function notePasswordUse(tx: Handle, { id, updatedAt }: Password, now: number): Promise<boolean> {
  const noted = await prepared(tx).noteUse.execute({ id, updatedAt, lastUsedAt: now });
  return noted.length === 1;
}

/** Gives the password that was proven a hash that was made anew, unless it is another one by now. */
export async function renewPasswordHash(tx: Handle, { id, updatedAt }: Password, hash: string): Promise<void> {
  await prepared(tx).renewHash.execute({ id, updatedAt, hash });
}

/**
 * Counts a try, and says whether it may succeed at all: one conditional write, so that of parallel tries no more get through than of tries in a row.
 * One that may, with the right password, forgets the failures before it. A refused try writes as well, because it must take as long as any other.
 */
export async function countPasswordTry(
  tx: Handle,
  { accountDigest, isRight }: { accountDigest: string; isRight: boolean },
  now: number,
): Promise<boolean> {
  const { countRight, countWrong } = prepared(tx);
  const [row] = await (isRight ? countRight : countWrong).execute({ accountDigest, updatedAt: now });
  return row?.admitted === true;
}

export async function forgetPasswordFailures(tx: Handle, accountDigest: string): Promise<void> {
  await prepared(tx).forgetFailures.execute({ accountDigest });
}

/** Forgets a batch of failures of accounts that nobody has tried since `triedBefore`; true when more may be left. */
export async function sweepPasswordFailures(tx: Handle, triedBefore: number): Promise<boolean> {
  return await prepared(tx).sweepFailures(triedBefore);
}
