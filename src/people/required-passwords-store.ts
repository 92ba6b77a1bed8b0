import { and, asc, count, eq, gt, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Mark } from "../credentials/passwords/store.ts";
import type { Handle } from "../storage/storage.ts";
import { ownsFactor } from "../factors/store.ts";

/**
 * How the person of a marked password can choose a new one: `reset`: by a mail that proves their
 * address.
 */
type Ways = { hasFactor: boolean; isProved: boolean; hasEmail: boolean };

export type PasswordOwner = Ways & { userId: string; appId: string; email: string | null; passwordId: string };

/**
 * Older than `before`, or of an unknown date. Rows from before `set_at` have one if it was changed.
 */
function isOlder({ passwords }: Handle["tables"], before: number): SQL {
  const setAt = sql`COALESCE(${passwords.setAt}, CASE WHEN ${passwords.updatedAt} > ${passwords.createdAt} THEN ${passwords.updatedAt} END)`;
  return sql`COALESCE(${setAt} < ${before}, TRUE)`;
}

/** Some owners of unmarked passwords, in the order of `passwordId`, after the given one. */
export async function listOwnersOfOlder(
  { db, tables }: Handle,
  of: { appId: string; before: number; after: string; limit: number },
): Promise<PasswordOwner[]> {
  const { passwords, users } = tables;
  return await db
    .select(columnsOf(tables))
    .from(passwords)
    .innerJoin(users, eq(users.id, passwords.userId))
    .where(
      and(
        eq(users.appId, of.appId),
        gt(passwords.id, of.after),
        isNull(passwords.mustChangeAt),
        isOlder(tables, of.before),
      ),
    )
    .orderBy(asc(passwords.id))
    .limit(of.limit);
}

function columnsOf({ passwords, users }: Handle["tables"]) {
  return {
    userId: users.id,
    appId: users.appId,
    email: users.email,
    passwordId: passwords.id,
    hasFactor: ownsFactor.mapWith(Boolean),
    isProved: users.emailVerified,
    hasEmail: sql`users.email IS NOT NULL`.mapWith(Boolean),
  };
}

export async function findOwner({ db, tables }: Handle, userId: string): Promise<PasswordOwner | undefined> {
  const { passwords, users } = tables;
  const [row] = await db
    .select(columnsOf(tables))
    .from(passwords)
    .innerJoin(users, eq(users.id, passwords.userId))
    .where(eq(users.id, userId));
  return row;
}

/** False if the password has a mark, or was removed or (with `before`) replaced meanwhile. */
export async function markPassword(
  { db, tables }: Handle,
  passwordId: string,
  mark: Mark,
  before: number | undefined,
): Promise<boolean> {
  const { passwords } = tables;
  const marked = await db
    .update(passwords)
    .set(mark)
    .where(
      and(
        eq(passwords.id, passwordId),
        isNull(passwords.mustChangeAt),
        before === undefined ? undefined : isOlder(tables, before),
      ),
    )
    .returning({ id: passwords.id });
  return marked.length === 1;
}

/**
 * For each application with marked passwords: how many enabled people have one, and how many of
 * them no proved address, passkey or second factor. Of all, at most `most` are `read`.
 */
export async function countMarked(
  { db, tables: { passwords, users } }: Handle,
  most: number,
): Promise<{ appId: string; read: number; marked: number; withoutWay: number }[]> {
  // With a limit, SQLite begins here, and not with everybody in the order of applications.
  const marked = db
    .select({ userId: passwords.userId })
    .from(passwords)
    .where(isNotNull(passwords.mustChangeAt))
    .limit(most)
    .as("marked");
  const isEnabled = isNull(users.disabledAt);
  const isWithout = sql`CASE WHEN ${isEnabled} AND NOT (${users.emailVerified} OR ${ownsFactor}) THEN 1 END`;
  return await db
    .select({
      appId: users.appId,
      read: count(),
      marked: sql<number>`count(CASE WHEN ${isEnabled} THEN 1 END)`.mapWith(Number),
      withoutWay: sql<number>`count(${isWithout})`.mapWith(Number),
    })
    .from(marked)
    .innerJoin(users, eq(users.id, marked.userId))
    .groupBy(users.appId)
    .orderBy(asc(users.appId));
}
