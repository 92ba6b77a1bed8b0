import { and, asc, eq, gt, inArray, isNotNull, lt, lte, sql } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { statements, type Handle, type Row } from "../storage/storage.ts";
import { hasNothingToProve } from "../users/page-store.ts";

const prepared = statements((handle) => {
  const { refusedSignUps: refused } = handle.tables;
  return {
    sweep: prepareSweep(
      handle,
      { table: refused, key: refused.digest, instant: refused.refusedAt },
      "sweep_refused_sign_ups",
    ),
  };
});

export async function insertRefused(tx: Handle, rows: Row<"refusedSignUps">[]): Promise<void> {
  const { refusedSignUps: refused } = tx.tables;
  if (rows.length === 0) return;
  await tx.db
    .insert(refused)
    .values(rows)
    .onConflictDoUpdate({ target: refused.digest, set: { refusedAt: sql`excluded.refused_at` } });
}

/** Those of these digests that were refused. */
export async function findRefused(
  { db, tables: { refusedSignUps: refused } }: Handle,
  digests: readonly string[],
): Promise<string[]> {
  const rows = await db
    .select({ digest: refused.digest })
    .from(refused)
    .where(inArray(refused.digest, [...digests]));
  return rows.map(({ digest }) => digest);
}

/** Removes a batch of what was refused before then; true if more may be left. */
export async function sweepRefused(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

/** They are disabled, too. Asking for that would read everybody who is disabled on SQLite. */
function isWaiting({ users }: Handle["tables"], appId: string | undefined) {
  return and(appId === undefined ? undefined : eq(users.appId, appId), isNotNull(users.pendingAt));
}

/** SQLite would take "IS NOT NULL" for a range of the index of addresses. */
function isUnproved({ users }: Handle["tables"]) {
  return and(sql`COALESCE(${users.email}, '') <> ''`, eq(users.emailVerified, false));
}

/** How many wait for a decision, perhaps at one application or since then. */
export async function countWaiting(
  { db, tables }: Handle,
  appId: string | undefined,
  { since = 0 }: { since?: number } = {},
): Promise<number> {
  const { users } = tables;
  const wanted = and(isWaiting(tables, appId), hasNothingToProve(users), gt(users.pendingAt, since));
  return await db.$count(users, wanted);
}

/** Where somebody waits: how many for a decision, and how many more to prove their address. */
export async function countWaitingOfAll({
  db,
  tables,
}: Handle): Promise<{ appId: string; waiting: number; unproved: number }[]> {
  const { users } = tables;
  const isReady = hasNothingToProve(users);
  const waiting = sql<number>`count(CASE WHEN ${isReady} THEN 1 END)`.mapWith(Number);
  const unproved = sql<number>`count(CASE WHEN ${isReady} THEN NULL ELSE 1 END)`.mapWith(Number);
  return await db
    .select({ appId: users.appId, waiting, unproved })
    .from(users)
    .where(isWaiting(tables, undefined))
    .groupBy(users.appId);
}

/** A batch of the users who have an address, ordered by id, after the given id. */
export async function listAddresses(
  { db, tables: { users } }: Handle,
  appId: string,
  after: string,
): Promise<{ id: string; email: string; emailVerified: boolean }[]> {
  const { id, email, emailVerified } = users;
  return await db
    .select({ id, email: sql<string>`${email}`, emailVerified })
    .from(users)
    .where(and(eq(users.appId, appId), gt(id, after), isNotNull(email)))
    .orderBy(asc(id))
    .limit(5000);
}

/** The identities of somebody. */
export async function listIdentities(
  { db, tables: { oauthIdentities: identities } }: Handle,
  userId: string,
): Promise<{ provider: string; issuer: string; subject: string }[]> {
  const { provider, issuer, subject } = identities;
  return await db.select({ provider, issuer, subject }).from(identities).where(eq(identities.userId, userId));
}

/** Some users who have waited since before then without proving their address. */
export async function listUnproved({ db, tables }: Handle, before: number): Promise<string[]> {
  const { users } = tables;
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(isWaiting(tables, undefined), isUnproved(tables), lt(users.pendingAt, before)))
    .limit(100);
  return rows.map(({ id }) => id);
}

/** When the last notice about an application was sent; 0: never. */
export async function lastNotice({ db, tables: { approvalNotices } }: Handle, appId: string): Promise<number> {
  const [row] = await db.select().from(approvalNotices).where(eq(approvalNotices.appId, appId));
  return row?.sentAt ?? 0;
}

/** False if another node was first. */
export async function claimNotice(
  { db, tables: { approvalNotices } }: Handle,
  appId: string,
  { sentAt, notAfter }: { sentAt: number; notAfter: number },
): Promise<boolean> {
  const claimed = await db
    .insert(approvalNotices)
    .values({ appId, sentAt })
    .onConflictDoUpdate({
      target: approvalNotices.appId,
      set: { sentAt },
      setWhere: lte(approvalNotices.sentAt, notAfter),
    })
    .returning({ appId: approvalNotices.appId });
  return claimed.length === 1;
}
