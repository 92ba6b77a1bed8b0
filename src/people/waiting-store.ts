import { and, count, eq, isNotNull, isNull, not, sql } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** Of a row of `users`: a passkey or an authenticator app. */
export const hasFactor = sql`(EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)
  OR EXISTS (SELECT 1 FROM second_factors WHERE second_factors.user_id = users.id AND encrypted_secret IS NOT NULL))`;

/** How many enabled users of an application have neither a passkey nor a second factor. */
export async function countWithoutFactor({ db, tables: { users } }: Handle, appId: string): Promise<number> {
  return await db.$count(users, and(eq(users.appId, appId), isNull(users.disabledAt), not(hasFactor)));
}

/** How many enabled members of a group have neither. */
export async function countMembersWithoutFactor(
  { db, tables: { users, groups, groupMembers: members } }: Handle,
  { appId, name }: { appId: string; name: string },
): Promise<number> {
  const [row] = await db
    .select({ people: count() })
    .from(groups)
    .innerJoin(members, eq(members.groupId, groups.id))
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(groups.appId, appId), eq(groups.name, name), isNull(users.disabledAt), not(hasFactor)));
  return row?.people ?? 0;
}

/** How many enabled users have never signed in, and have an address that nobody proved. */
export async function countUnproved({ db, tables: { users } }: Handle, appId: string): Promise<number> {
  const isUnproved = and(isNotNull(users.email), eq(users.emailVerified, false), isNull(users.lastLoginAt));
  return await db.$count(users, and(eq(users.appId, appId), isNull(users.disabledAt), isUnproved));
}
