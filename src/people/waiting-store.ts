import { and, countDistinct, eq, inArray, isNotNull, isNull, not } from "drizzle-orm";
import { ownsFactor } from "../factors/store.ts";
import type { Handle } from "../storage/storage.ts";

/**
 * How many enabled users of an application, or of some of its groups, have neither a passkey nor a
 * second factor.
 */
export async function countWithoutFactor(
  { db, tables: { users, groups, groupMembers: members } }: Handle,
  { appId, groups: names }: { appId: string; groups?: readonly string[] | null | undefined },
): Promise<number> {
  const without = and(eq(users.appId, appId), isNull(users.disabledAt), not(ownsFactor));
  if (!names) return await db.$count(users, without);
  const [row] = await db
    .select({ people: countDistinct(users.id) })
    .from(groups)
    .innerJoin(members, eq(members.groupId, groups.id))
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(groups.appId, appId), inArray(groups.name, [...names]), without));
  return row?.people ?? 0;
}

/** How many enabled users have never signed in, and have an address that nobody proved. */
export async function countUnproved({ db, tables: { users } }: Handle, appId: string): Promise<number> {
  const isUnproved = and(isNotNull(users.email), eq(users.emailVerified, false), isNull(users.lastLoginAt));
  return await db.$count(users, and(eq(users.appId, appId), isNull(users.disabledAt), isUnproved));
}
