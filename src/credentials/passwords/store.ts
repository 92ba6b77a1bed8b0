import { and, asc, eq, getTableColumns, gt, inArray, not, sql, type SQL } from "drizzle-orm";
import { day, second } from "../../lib/clock.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";
import { mayProve, type User } from "../../users/user.ts";
import {
  failuresOfLongestWait,
  freeFailures,
  longestWaitSeconds,
  maxFailures,
  waitSecondsAfter,
} from "../../rate-limits/failures.ts";

/**
 * `updatedAt`: when the password was chosen. Renewing the hash of the same password does not change
 * it.
 */
export type Password = { id: string; userId: string; hash: string; updatedAt: number } & Mark;

/**
 * `mustChangeAt`: since when it must be replaced, or null. `mustChangeEmail`: the proved address
 * then.
 */
export type Mark = { mustChangeAt: number | null; mustChangeEmail: string | null };

/** What a check of a typed password needs. */
export type CheckedPassword = Omit<Password, keyof Mark>;

/** No mark. */
export const unmarked: Mark = { mustChangeAt: null, mustChangeEmail: null };

const hashesOfABatch = 1000;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { passwords, users } = tables;
  const person = placeholders(users);
  const { id, userId, hash, lastUsedAt, updatedAt } = placeholders(passwords);
  const prefix = sql`CAST(${sql.placeholder("prefix")} AS text)`;
  const isThis = and(eq(passwords.id, id), eq(passwords.updatedAt, updatedAt));
  return {
    byUser: prepare(
      db
        .select({
          id: passwords.id,
          userId: passwords.userId,
          hash: passwords.hash,
          updatedAt: passwords.updatedAt,
          mustChangeAt: passwords.mustChangeAt,
          mustChangeEmail: passwords.mustChangeEmail,
        })
        .from(passwords)
        .where(eq(passwords.userId, userId)),
      "password_of_user",
    ),
    byEmail: prepare(
      db
        .select({
          ...getTableColumns(users),
          passwordId: passwords.id,
          hash: passwords.hash,
          passwordUpdatedAt: passwords.updatedAt,
        })
        .from(users)
        .leftJoin(passwords, eq(passwords.userId, users.id))
        .where(and(eq(users.appId, person.appId), eq(users.email, person.email))),
      "password_by_email",
    ),
    otherHashes: prepare(
      db
        .select({ id: passwords.id, appId: users.appId, hash: passwords.hash })
        .from(passwords)
        .innerJoin(users, eq(users.id, passwords.userId))
        .where(and(gt(passwords.id, id), sql`substr(${passwords.hash}, 1, length(${prefix})) <> ${prefix}`))
        .orderBy(asc(passwords.id))
        .limit(hashesOfABatch),
      "other_password_hashes",
    ),
    insert: prepare(db.insert(passwords).values(placeholders(passwords)), "insert_password"),
    change: prepare(
      db
        .update(passwords)
        // Strictly later, even within a millisecond: proofs identify the password by this.
        .set({
          hash,
          updatedAt: sql`CASE WHEN ${updatedAt} > ${passwords.updatedAt} THEN CAST(${updatedAt} AS bigint) ELSE ${passwords.updatedAt} + 1 END`,
          setAt: updatedAt,
          ...unmarked,
        })
        .where(eq(passwords.userId, userId))
        .returning({ id: passwords.id }),
      "change_password",
    ),
    deleteOfUser: prepare(db.delete(passwords).where(eq(passwords.userId, userId)), "delete_passwords_of_user"),
    recordUse: prepare(
      db.update(passwords).set({ lastUsedAt }).where(isThis).returning({ mustChangeAt: passwords.mustChangeAt }),
      "note_password_use",
    ),
    renewHash: prepare(db.update(passwords).set({ hash }).where(isThis), "renew_password_hash"),
    ...failureStatements(handle),
  };
});

/** Whether an attempt at `now` is admitted: the check of each attempt, and of what pages show. */
function isAdmitted({ failures, blockedUntil }: Handle["tables"]["passwordFailures"], now: SQL): SQL {
  // A wait with a later end was set before the clock was set back. Allows for clock differences
  // between nodes. Not exact: PostgreSQL prepares each branch of a CASE for every execution.
  const longestWait = sql`CASE WHEN ${failures} >= ${sql.raw(String(maxFailures))} THEN ${sql.raw(String(day))} ELSE ${sql.raw(String(longestWaitSeconds * second))} END`;
  const latestEnd = sql`CAST(${now} AS bigint) + ${longestWait} + ${sql.raw(String(longestWaitSeconds * second))}`;
  return sql`(${blockedUntil} <= ${now} OR ${blockedUntil} > ${latestEnd})`;
}

function failureStatements(handle: Handle) {
  const { db, tables } = handle;
  const { passwordFailures } = tables;
  const { accountDigest, updatedAt: now } = placeholders(passwordFailures);
  const { failures, blockedUntil, updatedAt } = passwordFailures;
  const waits = Array.from(
    { length: failuresOfLongestWait },
    (_, failures) => `WHEN ${failures} THEN ${waitSecondsAfter(failures) * second}`,
  );
  /** The wait of an account with this many failures. */
  const waitAfter = (times: SQL): SQL =>
    sql`CASE WHEN ${times} >= ${sql.raw(String(maxFailures))} THEN ${sql.raw(String(day))} ELSE CASE ${times} ${sql.raw(waits.join(" "))} ELSE ${sql.raw(String(longestWaitSeconds * second))} END END`;
  const admitted = isAdmitted(passwordFailures, sql`${now}`);
  const count = (counted: { first: number; failures: SQL; blockedUntil: SQL; updatedAt: SQL }, name: string) =>
    prepare(
      db
        .insert(passwordFailures)
        // 0 instead of now: an account without a wait is admitted whatever a node's clock says.
        .values({ accountDigest, failures: counted.first, blockedUntil: 0, admitted: true, updatedAt: now })
        .onConflictDoUpdate({
          target: passwordFailures.accountDigest,
          set: {
            failures: sql`CASE WHEN ${admitted} THEN ${counted.failures} ELSE ${failures} END`,
            blockedUntil: sql`CASE WHEN ${admitted} THEN ${counted.blockedUntil} ELSE ${blockedUntil} END`,
            admitted,
            // A refused attempt does not move the expiry, so attackers cannot keep an account
            // locked.
            updatedAt: sql`CASE WHEN ${admitted} THEN ${counted.updatedAt} ELSE ${updatedAt} END`,
          },
        })
        .returning({ admitted: passwordFailures.admitted }),
      name,
    );
  const isFree = sql`${failures} < ${sql.raw(String(freeFailures))}`;
  const blocked = sql`CASE WHEN ${isFree} THEN 0 ELSE CAST(${now} AS bigint) + ${waitAfter(sql`${failures} + 1`)} END`;
  return {
    countWrong: count(
      {
        first: 1,
        failures: sql`${failures} + 1`,
        blockedUntil: blocked,
        updatedAt: sql`CAST(${now} AS bigint)`,
      },
      "count_wrong_password",
    ),
    // A row without failures may be swept at any time. Keeping the time unchanged avoids an index
    // update.
    countRight: count(
      { first: 0, failures: sql`0`, blockedUntil: sql`0`, updatedAt: sql`${updatedAt}` },
      "count_right_password",
    ),
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

/**
 * The user with this canonical address, with the password unless there is none or the user is
 * disabled.
 */
export async function findPasswordByEmail(
  handle: Handle,
  appId: string,
  email: string,
): Promise<{ user: User; password: CheckedPassword | undefined } | undefined> {
  const [row] = await prepared(handle).byEmail.execute({ appId, email });
  if (!row) return undefined;
  const { passwordId: id, hash, passwordUpdatedAt: updatedAt, ...user } = row;
  const isUsable = mayProve(user) && id !== null && hash !== null && updatedAt !== null;
  return { user, password: isUsable ? { id, userId: user.id, hash, updatedAt } : undefined };
}

/** A batch of hashes that do not begin with `prefix`, ordered by id, after the given id. */
export async function listOtherHashes(
  handle: Handle,
  prefix: string,
  after: string,
): Promise<{ id: string; appId: string; hash: string }[]> {
  return await prepared(handle).otherHashes.execute({ id: after, prefix });
}

export async function insertPassword(
  tx: Handle,
  password: Omit<CheckedPassword, "updatedAt"> & { lastUsedAt: number | null },
  now: number,
): Promise<void> {
  const row = { ...password, createdAt: now, updatedAt: now, setAt: now, ...unmarked } satisfies Row<"passwords">;
  await prepared(tx).insert.execute(row);
}

/** Replaces the user's password and returns its id; undefined if there was none. */
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

/**
 * Records a use of the proven password, and returns its mark; undefined if it was replaced
 * meanwhile.
 */
export async function recordPasswordUse(
  tx: Handle,
  { id, updatedAt }: CheckedPassword,
  now: number,
): Promise<Pick<Mark, "mustChangeAt"> | undefined> {
  const [used] = await prepared(tx).recordUse.execute({ id, updatedAt, lastUsedAt: now });
  return used;
}

/** Replaces the hash of the proven password, unless the password was replaced meanwhile. */
export async function renewPasswordHash(tx: Handle, { id, updatedAt }: CheckedPassword, hash: string): Promise<void> {
  await prepared(tx).renewHash.execute({ id, updatedAt, hash });
}

/**
 * Counts an attempt and returns whether it may succeed. One conditional write, so that parallel
 * attempts gain nothing over sequential ones. An admitted attempt with the right password clears
 * earlier failures. A refused attempt writes too, because it must take as long.
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

/** An account, or one of its known browsers, in which no password is checked until then. */
export type PasswordBlock = { accountDigest: string; failures: number; blockedUntil: number };

/** Those of these accounts that are blocked now. */
export async function listPasswordBlocks(
  { db, tables: { passwordFailures: rows } }: Handle,
  accountDigests: string[],
  now: number,
): Promise<PasswordBlock[]> {
  const { accountDigest, failures, blockedUntil } = rows;
  return await db
    .select({ accountDigest, failures, blockedUntil })
    .from(rows)
    .where(and(inArray(accountDigest, accountDigests), not(isAdmitted(rows, sql`${now}`))));
}

/**
 * Removes a batch of failure counts of accounts without attempts since `triedBefore`; true if more
 * may be left.
 */
export async function sweepPasswordFailures(tx: Handle, triedBefore: number): Promise<boolean> {
  return await prepared(tx).sweepFailures(triedBefore);
}
