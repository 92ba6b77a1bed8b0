import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";
import type { StoredUser } from "./user-line.ts";

/**
 * A page of an application's users with all their sign-in methods, ordered by id, after the id
 * `after`.
 */
export async function listStoredUsers(
  { db, tables }: Handle,
  appId: string,
  page: { after: string; size: number; withHashes: boolean },
): Promise<StoredUser[]> {
  const { users, passwords, secondFactors, recoveryCodes, passkeys, oauthIdentities, groups, groupMembers } = tables;
  const rows = await db
    .select()
    .from(users)
    .where(and(eq(users.appId, appId), gt(users.id, page.after)))
    .orderBy(asc(users.id))
    .limit(page.size);
  const ids = rows.map(({ id }) => id);
  const secretsOf = page.withHashes ? ids : [];
  const hashes = await db
    .select({
      userId: passwords.userId,
      hash: passwords.hash,
      setAt: passwords.setAt,
      mustChangeAt: passwords.mustChangeAt,
    })
    .from(passwords)
    .where(inArray(passwords.userId, secretsOf));
  const factors = await db
    .select({ userId: secondFactors.userId, encryptedSecret: secondFactors.encryptedSecret })
    .from(secondFactors)
    .where(inArray(secondFactors.userId, secretsOf));
  const codes = await db
    .select({ userId: recoveryCodes.userId, digest: recoveryCodes.digest })
    .from(recoveryCodes)
    .where(inArray(recoveryCodes.userId, secretsOf))
    .orderBy(asc(recoveryCodes.digest));
  const keys = await db
    .select()
    .from(passkeys)
    .where(inArray(passkeys.userId, ids))
    .orderBy(asc(passkeys.credentialId));
  const identities = await db
    .select()
    .from(oauthIdentities)
    .where(inArray(oauthIdentities.userId, ids))
    .orderBy(asc(oauthIdentities.provider), asc(oauthIdentities.issuer), asc(oauthIdentities.subject));
  const memberships = await db
    .select({ userId: groupMembers.userId, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(inArray(groupMembers.userId, ids));
  const groupsOf = Map.groupBy(memberships, ({ userId }) => userId);
  const passwordOf = new Map(
    hashes.map(({ userId, hash, setAt, mustChangeAt }) => [userId, { hash, setAt, mustChange: mustChangeAt !== null }]),
  );
  const secretOf = new Map(factors.map(({ userId, encryptedSecret }) => [userId, encryptedSecret ?? undefined]));
  const codesOf = Map.groupBy(codes, ({ userId }) => userId);
  const keysOf = Map.groupBy(keys, ({ userId }) => userId);
  const identitiesOf = Map.groupBy(identities, ({ userId }) => userId);
  return rows.map((user) => ({
    user,
    groups: (groupsOf.get(user.id) ?? []).flatMap(({ name }) => name ?? []).toSorted(),
    password: passwordOf.get(user.id),
    encryptedSecret: secretOf.get(user.id),
    recoveryDigests: (codesOf.get(user.id) ?? []).map(({ digest }) => digest),
    passkeys: keysOf.get(user.id) ?? [],
    identities: identitiesOf.get(user.id) ?? [],
  }));
}
