import { and, asc, count, desc, eq, exists, gt, gte, inArray, isNotNull, isNull, lt, sql, type SQL } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";

export type SecondFactor = Row<"secondFactors">;
export type TrustedBrowser = Row<"trustedBrowsers">;

/** The facts that decide whether a user is asked for a second factor. */
export type FactorState = Pick<SecondFactor, "setUpAt" | "checkedAt"> & {
  epoch: number;
  /** Whether the user has set TOTP up. */
  hasFactor: boolean;
  /** By a group of the user or by the client. */
  isRequired: boolean;
};

/** Whether a group of the user, or the client, requires a second factor. */
export function requiresFactor(userId: SQL, clientId: SQL): SQL<boolean> {
  return sql<boolean>`(EXISTS (SELECT 1 FROM group_members INNER JOIN groups ON groups.id = group_members.group_id
    WHERE group_members.user_id = ${userId} AND groups.second_factor = 'required' AND groups.name IS NOT NULL)
    OR EXISTS (SELECT 1 FROM clients WHERE clients.id = ${clientId} AND clients.second_factor = 'required'))`;
}

/** Of a row of `users`: has a passkey or an authenticator app. */
export const ownsFactor = sql`(EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)
  OR EXISTS (SELECT 1 FROM second_factors WHERE second_factors.user_id = users.id AND encrypted_secret IS NOT NULL))`;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const {
    secondFactors: factors,
    recoveryCodes: codes,
    trustedBrowsers: trusted,
    users,
    groups,
    groupMembers,
  } = tables;
  const given = placeholders(factors);
  const code = placeholders(codes);
  const browser = placeholders(trusted);
  const ofUser = eq(factors.userId, given.userId);
  const text = (name: string): SQL => sql`CAST(${sql.placeholder(name)} AS text)`;
  return {
    state: prepare(
      db
        .select({
          epoch: factors.epoch,
          encryptedSecret: factors.encryptedSecret,
          setUpAt: factors.setUpAt,
          checkedAt: factors.checkedAt,
          isRequired: requiresFactor(sql`${users.id}`, text("clientId")).mapWith(Boolean),
        })
        .from(users)
        .leftJoin(factors, eq(factors.userId, users.id))
        .where(eq(users.id, given.userId)),
      "factor_state",
    ),
    allowingGroups: prepare(
      db
        .select({ id: groups.id })
        .from(groupMembers)
        .innerJoin(groups, eq(groups.id, groupMembers.groupId))
        .where(
          and(
            eq(groupMembers.userId, given.userId),
            inArray(groups.secondFactor, ["optional", "required"]),
            isNotNull(groups.name),
          ),
        )
        .limit(1),
      "groups_with_second_factor",
    ),
    ofUser: prepare(db.select().from(factors).where(ofUser), "second_factor_of_user"),
    change: prepare(
      db
        .insert(factors)
        .values({
          userId: given.userId,
          epoch: 1,
          encryptedSecret: given.encryptedSecret,
          lastStep: given.lastStep,
          setUpAt: given.setUpAt,
          lastUsedAt: null,
          checkedAt: null,
          failures: 0,
          blockedUntil: 0,
        })
        .onConflictDoUpdate({
          target: factors.userId,
          set: {
            epoch: sql`${factors.epoch} + 1`,
            encryptedSecret: sql`excluded.encrypted_secret`,
            lastStep: sql`CASE WHEN excluded.last_step > ${factors.lastStep} THEN excluded.last_step ELSE ${factors.lastStep} END`,
            setUpAt: sql`excluded.set_up_at`,
            lastUsedAt: null,
            checkedAt: null,
            failures: 0,
            blockedUntil: 0,
          },
        }),
      "change_second_factor",
    ),
    recordTries: prepare(
      db.update(factors).set({ failures: given.failures, blockedUntil: given.blockedUntil }).where(ofUser),
      "note_factor_tries",
    ),
    forgetFailures: prepare(
      db.update(factors).set({ failures: 0, blockedUntil: 0 }).where(ofUser),
      "forget_factor_tries",
    ),
    consumeStep: prepare(
      db
        .update(factors)
        .set({ lastStep: given.lastStep, lastUsedAt: given.lastUsedAt })
        .where(and(ofUser, lt(factors.lastStep, given.lastStep), isNotNull(factors.encryptedSecret)))
        .returning({ userId: factors.userId }),
      "consume_time_step",
    ),
    recordCheck: prepare(db.update(factors).set({ checkedAt: given.checkedAt }).where(ofUser), "note_factor_check"),
    insertCode: prepare(db.insert(codes).values(code), "insert_recovery_code"),
    consumeCode: prepare(
      db
        .delete(codes)
        .where(and(eq(codes.userId, code.userId), eq(codes.digest, code.digest)))
        .returning({ digest: codes.digest }),
      "consume_recovery_code",
    ),
    countCodes: prepare(
      db
        .select({ left: count() })
        .from(codes)
        .where(and(eq(codes.userId, code.userId), gt(codes.createdAt, code.createdAt))),
      "count_recovery_codes",
    ),
    deleteCodes: prepare(
      db.delete(codes).where(and(eq(codes.userId, code.userId), gt(codes.createdAt, code.createdAt))),
      "delete_recovery_codes",
    ),
    trust: prepare(db.insert(trusted).values(browser), "trust_browser"),
    isTrusted: prepare(
      db
        .select({ id: trusted.id })
        .from(trusted)
        .where(
          and(
            eq(trusted.userId, browser.userId),
            eq(trusted.digest, browser.digest),
            eq(trusted.epoch, browser.epoch),
            gt(trusted.expiresAt, browser.expiresAt),
          ),
        ),
      "trusted_browser",
    ),
    listTrusted: prepare(
      db
        .select()
        .from(trusted)
        .where(and(eq(trusted.userId, browser.userId), gt(trusted.expiresAt, browser.expiresAt)))
        .orderBy(desc(trusted.createdAt), desc(trusted.id)),
      "trusted_browsers_of_user",
    ),
    endTrust: prepare(
      db
        .delete(trusted)
        .where(and(eq(trusted.userId, browser.userId), eq(trusted.id, browser.id)))
        .returning({ id: trusted.id }),
      "end_trust_of_browser",
    ),
    endAllTrust: prepare(
      db.delete(trusted).where(eq(trusted.userId, browser.userId)).returning({ id: trusted.id }),
      "end_trust_of_user",
    ),
    sweepTrusted: prepareSweep(
      handle,
      { table: trusted, key: trusted.id, instant: trusted.expiresAt },
      "sweep_trusted_browsers",
    ),
  };
});

/** `clientId`: of the OpenID Connect client; null: the application. Undefined without the user. */
export async function findFactorState(
  handle: Handle,
  userId: string,
  clientId: string | null,
): Promise<FactorState | undefined> {
  const [row] = await prepared(handle).state.execute({ userId, clientId: clientId ?? "" });
  if (!row) return undefined;
  const { epoch, encryptedSecret, ...state } = row;
  return { ...state, epoch: epoch ?? 0, hasFactor: encryptedSecret !== null };
}

/** Whether a group of the user lets its members set up a factor, or requires it. */
export async function groupAllowsFactor(handle: Handle, userId: string): Promise<boolean> {
  return (await prepared(handle).allowingGroups.execute({ userId })).length > 0;
}

export async function findSecondFactor(handle: Handle, userId: string): Promise<SecondFactor | undefined> {
  const [row] = await prepared(handle).ofUser.execute({ userId });
  return row;
}

/**
 * Sets, replaces or (null) removes the TOTP secret, and begins a new epoch. The last used step
 * never falls.
 */
export async function changeSecondFactor(
  tx: Handle,
  change: Pick<SecondFactor, "userId" | "encryptedSecret" | "lastStep" | "setUpAt">,
): Promise<void> {
  await prepared(tx).change.execute(change);
}

/** Users with this many wrong codes in a row: enough of them for a report, by id. */
export async function listBlocked(
  { db, tables }: Handle,
  failures: number,
): Promise<{ id: string; appId: string; hasPasskey: boolean }[]> {
  const { secondFactors: factors, passkeys, users } = tables;
  const hasPasskey = exists(db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, users.id)));
  return await db
    .select({ id: users.id, appId: users.appId, hasPasskey: sql<boolean>`${hasPasskey}`.mapWith(Boolean) })
    .from(factors)
    .innerJoin(users, eq(users.id, factors.userId))
    .where(and(gte(factors.failures, failures), isNotNull(factors.encryptedSecret), isNull(users.disabledAt)))
    // Not by users.id: SQLite would then read every user.
    .orderBy(asc(factors.userId))
    .limit(1000);
}

export async function recordFactorTries(
  tx: Handle,
  tries: Pick<SecondFactor, "userId" | "failures" | "blockedUntil">,
): Promise<void> {
  await prepared(tx).recordTries.execute(tries);
}

export async function forgetFactorFailures(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetFailures.execute({ userId });
}

/** Consumes a time step: false if it, or a later one, was used. */
export async function consumeStep(tx: Handle, userId: string, step: number, now: number): Promise<boolean> {
  return (await prepared(tx).consumeStep.execute({ userId, lastStep: step, lastUsedAt: now })).length === 1;
}

export async function recordFactorCheck(tx: Handle, userId: string, now: number): Promise<void> {
  await prepared(tx).recordCheck.execute({ userId, checkedAt: now });
}

/** Replaces the user's recovery codes; earlier ones become void. */
export async function replaceRecoveryCodes(tx: Handle, userId: string, digests: string[], now: number): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  for (const digest of digests) await prepared(tx).insertCode.execute({ userId, digest, createdAt: now });
}

/** Of concurrent calls, one gets true. */
export async function consumeRecoveryCode(tx: Handle, userId: string, digest: string): Promise<boolean> {
  return (await prepared(tx).consumeCode.execute({ userId, digest })).length === 1;
}

/** Removes the user's codes; with `since`, only those made after it. */
export async function deleteRecoveryCodes(tx: Handle, userId: string, since = 0): Promise<void> {
  await prepared(tx).deleteCodes.execute({ userId, createdAt: since });
}

/** How many are left; with `since`, of those made after it. */
export async function countRecoveryCodes(handle: Handle, userId: string, since = 0): Promise<number> {
  const [row] = await prepared(handle).countCodes.execute({ userId, createdAt: since });
  return row?.left ?? 0;
}

export async function insertTrustedBrowser(tx: Handle, browser: TrustedBrowser): Promise<void> {
  await prepared(tx).trust.execute(browser);
}

/** Whether a browser is trusted by this user at `now`, in this epoch. */
export async function isTrustedBrowser(
  handle: Handle,
  { now, ...browser }: Pick<TrustedBrowser, "userId" | "digest" | "epoch"> & { now: number },
): Promise<boolean> {
  return (await prepared(handle).isTrusted.execute({ ...browser, expiresAt: now })).length > 0;
}

/** Newest first. */
export async function listTrustedBrowsers(handle: Handle, userId: string, now: number): Promise<TrustedBrowser[]> {
  return await prepared(handle).listTrusted.execute({ userId, expiresAt: now });
}

/** False if it is not this user's. */
export async function endTrust(tx: Handle, userId: string, id: string): Promise<boolean> {
  return (await prepared(tx).endTrust.execute({ userId, id })).length === 1;
}

/** For the same browser, which is trusted again. */
export async function endTrustByDigest(
  { db, tables: { trustedBrowsers: trusted } }: Handle,
  userId: string,
  digest: string,
): Promise<void> {
  await db.delete(trusted).where(and(eq(trusted.userId, userId), eq(trusted.digest, digest)));
}

/** How many there were. */
export async function endTrustOfUser(tx: Handle, userId: string): Promise<number> {
  return (await prepared(tx).endAllTrust.execute({ userId })).length;
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweepTrustedBrowsers(tx: Handle, expiredBefore: number): Promise<boolean> {
  return await prepared(tx).sweepTrusted(expiredBefore);
}
