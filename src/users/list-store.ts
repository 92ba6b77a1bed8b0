import { and, asc, eq, inArray, isNull, or } from "drizzle-orm";
import { beginsWith, type Handle } from "../storage/storage.ts";
import type { MethodKinds } from "./store.ts";
import type { User } from "./user.ts";

/**
 * The users with this canonical address: at most one per application; or the one of an application.
 */
export async function findByEmailInAll(
  { db, tables: { users, applications } }: Handle,
  email: string,
  appId: string | undefined,
): Promise<{ id: string; appId: string }[]> {
  // By application: the index of addresses begins with it.
  const ofApps = db.select({ id: applications.id }).from(applications);
  return await db
    .select({ id: users.id, appId: users.appId })
    .from(users)
    .where(and(eq(users.email, email), appId === undefined ? inArray(users.appId, ofApps) : eq(users.appId, appId)))
    .orderBy(asc(users.appId));
}

/** In any order. */
export async function findUsers({ db, tables: { users } }: Handle, ids: readonly string[]): Promise<User[]> {
  return await db
    .select()
    .from(users)
    .where(inArray(users.id, [...ids]));
}

/** Whether an application has users without an email address. */
export async function someLackEmail({ db, tables: { users } }: Handle, appId: string): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.appId, appId), isNull(users.email)))
    .limit(1);
  return rows.length > 0;
}

/** The kinds of sign-in methods of each user: three queries for any number of users. */
export async function findMethodKindsOf(
  { db, tables: { passwords, passkeys, oauthIdentities } }: Handle,
  userIds: string[],
): Promise<Map<string, MethodKinds>> {
  const kinds = new Map(userIds.map((id) => [id, { passkey: false, oauth: [] as string[], password: false }]));
  const of = (id: string): MethodKinds => kinds.get(id) ?? { passkey: false, oauth: [], password: false };
  const withPasskey = await db
    .select({ userId: passkeys.userId })
    .from(passkeys)
    .where(inArray(passkeys.userId, userIds));
  for (const { userId } of withPasskey) of(userId).passkey = true;
  const withPassword = await db
    .select({ userId: passwords.userId })
    .from(passwords)
    .where(inArray(passwords.userId, userIds));
  for (const { userId } of withPassword) of(userId).password = true;
  const identities = await db
    .selectDistinct({ userId: oauthIdentities.userId, provider: oauthIdentities.provider })
    .from(oauthIdentities)
    .where(inArray(oauthIdentities.userId, userIds))
    .orderBy(asc(oauthIdentities.provider));
  for (const { userId, provider } of identities) of(userId).oauth.push(provider);
  return kinds;
}

/** Users whose id or address begins with a prefix, for shell completion. */
export async function findUsersBeginning(
  { db, tables: { users } }: Handle,
  prefix: string,
  limit: number,
): Promise<{ id: string; email: string | null }[]> {
  return await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(or(beginsWith(users.id, prefix), beginsWith(users.email, prefix)))
    .orderBy(asc(users.id))
    .limit(limit);
}
