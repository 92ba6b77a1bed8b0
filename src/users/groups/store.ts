import { and, asc, count, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import {
  beginsWith,
  forChange,
  forShare,
  placeholders,
  prepare,
  statements,
  type Handle,
  type Row,
} from "../../storage/storage.ts";

export type Group = Row<"groups">;

const prepared = statements(({ db, tables: { groups, groupMembers } }) => {
  const row = placeholders(groups);
  return {
    byName: prepare(
      db
        .select()
        .from(groups)
        .where(and(eq(groups.appId, row.appId), eq(groups.name, row.name))),
      "group_by_name",
    ),
    addMember: prepare(
      db
        .insert(groupMembers)
        .values(placeholders(groupMembers))
        .onConflictDoNothing()
        .returning({ userId: groupMembers.userId }),
      "add_group_member",
    ),
  };
});

export async function findGroup(handle: Handle, appId: string, name: string): Promise<Group | undefined> {
  const [row] = await prepared(handle).byName.execute({ appId, name });
  return row;
}

/** The same; it does not change until the transaction ends. */
export async function lockGroup(
  { db, tables: { groups } }: Handle,
  appId: string,
  name: string,
): Promise<Group | undefined> {
  const query = db.select().from(groups);
  const [row] = await forChange(query.where(and(eq(groups.appId, appId), eq(groups.name, name))));
  return row;
}

/** Sorted by name. */
export async function listGroups({ db, tables: { groups } }: Handle, appId: string): Promise<Group[]> {
  return await db
    .select()
    .from(groups)
    .where(and(eq(groups.appId, appId), isNotNull(groups.name)))
    .orderBy(asc(groups.name));
}

/** The names of all groups, which cannot be deleted until the transaction ends. */
export async function lockGroupNames({ db, tables: { groups } }: Handle, appId: string): Promise<string[]> {
  const ofApplication = db.select({ name: groups.name }).from(groups);
  const query = ofApplication.where(and(eq(groups.appId, appId), isNotNull(groups.name))).orderBy(asc(groups.id));
  return (await forShare(query)).flatMap(({ name }) => name ?? []);
}

/** Groups whose name begins with a prefix, for shell completion. */
export async function findGroupsBeginning(
  { db, tables: { groups } }: Handle,
  prefix: string,
  limit: number,
): Promise<{ name: string | null; appId: string }[]> {
  return await db
    .select({ name: groups.name, appId: groups.appId })
    .from(groups)
    .where(beginsWith(groups.name, prefix))
    .orderBy(asc(groups.name), asc(groups.appId))
    .limit(limit);
}

export async function countGroups({ db, tables: { groups } }: Handle, appId: string): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(groups)
    .where(and(eq(groups.appId, appId), isNotNull(groups.name)));
  return row?.value ?? 0;
}

/** False if the application has a group of this name. */
export async function insertGroup({ db, tables: { groups } }: Handle, group: Group): Promise<boolean> {
  const inserted = await db.insert(groups).values(group).onConflictDoNothing().returning({ id: groups.id });
  return inserted.length === 1;
}

export async function changeGroup(
  { db, tables: { groups } }: Handle,
  { id, secondFactor }: Pick<Group, "id" | "secondFactor">,
): Promise<void> {
  await db.update(groups).set({ secondFactor }).where(eq(groups.id, id));
}

/** False if the user is already a member. */
export async function insertMember(
  tx: Handle,
  member: { groupId: string; userId: string; createdAt: number },
): Promise<boolean> {
  return (await prepared(tx).addMember.execute(member)).length === 1;
}

export async function countGroupsOfUser(
  { db, tables: { groups, groupMembers } }: Handle,
  userId: string,
): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(and(eq(groupMembers.userId, userId), isNotNull(groups.name)));
  return row?.value ?? 0;
}

export async function countMembers({ db, tables: { groupMembers } }: Handle, groupId: string): Promise<number> {
  const [row] = await db.select({ value: count() }).from(groupMembers).where(eq(groupMembers.groupId, groupId));
  return row?.value ?? 0;
}

export type Member = { userId: string; email: string | null; name: string | null; createdAt: number };

/** A page of a group's members, ordered by id, after the id `after`. */
export async function listMembers(
  { db, tables: { groupMembers, users } }: Handle,
  groupId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Member[]> {
  return await db
    .select({ userId: users.id, email: users.email, name: users.name, createdAt: groupMembers.createdAt })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .where(and(eq(groupMembers.groupId, groupId), gt(groupMembers.userId, after)))
    .orderBy(asc(groupMembers.userId))
    .limit(limit);
}

/** Removes users from a group, and returns those that were members. */
export async function deleteMembers(
  { db, tables: { groupMembers } }: Handle,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const deleted = await db
    .delete(groupMembers)
    .where(and(eq(groupMembers.groupId, groupId), inArray(groupMembers.userId, [...userIds])))
    .returning({ userId: groupMembers.userId });
  return deleted.map(({ userId }) => userId);
}

/** Removes the name of a group, so that no new token contains it. False if it has none. */
export async function retireGroup({ db, tables: { groups } }: Handle, id: string): Promise<boolean> {
  const retired = await db
    .update(groups)
    .set({ name: null })
    .where(and(eq(groups.id, id), isNotNull(groups.name)))
    .returning({ id: groups.id });
  return retired.length === 1;
}

export async function findRetiredGroup({ db, tables: { groups } }: Handle): Promise<Group | undefined> {
  const [row] = await db.select().from(groups).where(isNull(groups.name)).limit(1);
  return row;
}

export async function deleteGroup({ db, tables: { groups } }: Handle, id: string): Promise<void> {
  await db.delete(groups).where(eq(groups.id, id));
}

/** The ids of the clients whose allowed groups include this one. */
export async function listClientsAllowing(
  { db, tables: { clients } }: Handle,
  appId: string,
  name: string,
): Promise<string[]> {
  const limited = await db
    .select({ id: clients.id, allowedGroups: clients.allowedGroups })
    .from(clients)
    .where(and(eq(clients.appId, appId), isNotNull(clients.allowedGroups)))
    .orderBy(asc(clients.id));
  return limited.filter(({ allowedGroups }) => allowedGroups?.includes(name)).map(({ id }) => id);
}

/** Whether a user is in one of the groups with these names. */
export async function isInOneOf(
  { db, tables: { groups, groupMembers } }: Handle,
  { appId, userId, names }: { appId: string; userId: string; names: readonly string[] },
): Promise<boolean> {
  const rows = await db
    .select({ id: groups.id })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(and(eq(groupMembers.userId, userId), eq(groups.appId, appId), inArray(groups.name, [...names])))
    .limit(1);
  return rows.length === 1;
}
