import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { Client } from "../clients/client.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { personsClient } from "../lib/client-info.ts";
import { applicationNotFound, invalidRequest, userNotFound } from "../lib/errors.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { ClaimSourcesService } from "../tokens/claim-sources.ts";
import type { Users } from "../users/service.ts";
import { createGroupDeletion } from "./deletion.ts";
import { checkedGroupName, groupNotFound, maxGroupsOfApplication, maxGroupsOfUser, type GroupCall } from "./rules.ts";
import {
  countGroups,
  countGroupsOfUser,
  countMembers,
  deleteMembers,
  findGroup,
  insertGroup,
  insertMember,
  isInOneOf,
  listGroups,
  listMembers,
  type Group,
} from "./store.ts";

export type GroupAnswer = { name: string; createdAt: string };
/** `addedAt`: when the user became a member. */
export type MemberAnswer = { id: string; email: string | null; name: string | null; addedAt: string };

export type Groups = ReturnType<typeof createGroups>;

/** Groups of an application's users. Only the operator and the application's server change them. */
export function createGroups(deps: {
  storage: Storage;
  applications: Applications;
  users: Users;
  claimSources: ClaimSourcesService;
  audit: Audit;
  clock: Clock;
  random: Random;
}) {
  const { storage, applications, users, claimSources, audit, clock, random } = deps;
  const deletion = createGroupDeletion(deps);

  async function applicationOf(handle: Handle, appId: string): Promise<Application> {
    const application = await applications.find(appId, handle);
    if (!application) throw applicationNotFound();
    return application;
  }

  async function getGroup(handle: Handle, appId: string, name: string): Promise<Group> {
    const group = await findGroup(handle, appId, name);
    if (!group) throw groupNotFound();
    return group;
  }

  /** Locks users of an application, all or none. Throws USER_NOT_FOUND. */
  async function lockUsersOf(tx: Handle, appId: string, userIds: readonly string[]): Promise<void> {
    const locked = await users.lockAll(tx, userIds);
    const own = new Set(locked.filter((user) => user.appId === appId).map(({ id }) => id));
    if (userIds.some((id) => !own.has(id))) throw userNotFound();
  }

  /** Writes an audit entry and, for a change of a user, the webhook event. */
  async function note(
    tx: Handle,
    action: string,
    { appId, name, userId }: { appId: string; name: string; userId?: string },
    { actor, clientInfo }: GroupCall,
    now: number,
  ): Promise<void> {
    const about = { appId, userId: userId ?? null, clientInfo, details: { group: name } };
    await audit.record(tx, { actor, action, result: "success", ...about }, now);
    if (userId !== undefined)
      await users.recordUpdate(tx, { id: userId, appId }, personsClient({ actor, clientInfo }), now);
  }

  async function addOne(
    tx: Handle,
    { group, application, name, userId }: { group: Group; application: Application; name: string; userId: string },
    call: GroupCall,
    now: number,
  ): Promise<boolean> {
    if (!(await insertMember(tx, { groupId: group.id, userId, createdAt: now }))) return false;
    if ((await countGroupsOfUser(tx, userId)) > maxGroupsOfUser)
      throw invalidRequest(`userId: a user can be in at most ${maxGroupsOfUser} groups`);
    await claimSources.refuseTooLarge(tx, application, userId, "userId");
    await note(tx, "group.add", { appId: application.id, name, userId }, call, now);
    return true;
  }

  return {
    ...deletion,

    /**
     * Creates a group, or returns the existing one. Throws APP_NOT_FOUND, INVALID_REQUEST for an
     * invalid name or too many groups.
     */
    async create(appId: string, name: string, call: GroupCall): Promise<{ group: GroupAnswer; isNew: boolean }> {
      const now = clock();
      checkedGroupName(name);
      return await storage.write(async (tx, rollBack) => {
        // Locked, so that concurrent calls count each other.
        if (!(await applications.lock(tx, appId, now))) throw applicationNotFound();
        const group = { id: newId("grp", now, random), appId, name, createdAt: now };
        if (!(await insertGroup(tx, group))) return { group: answerFor(await getGroup(tx, appId, name)), isNew: false };
        if ((await countGroups(tx, appId)) > maxGroupsOfApplication)
          throw invalidRequest(`name: an application can have at most ${maxGroupsOfApplication} groups`);
        await note(tx, "group.create", { appId, name }, call, now);
        const created = { group: answerFor(group), isNew: true };
        if (call.dryRun) throw rollBack(created);
        return created;
      });
    },

    /** Sorted by name. Throws APP_NOT_FOUND. */
    async list(appId: string): Promise<GroupAnswer[]> {
      await applicationOf(storage.reader, appId);
      return (await listGroups(storage.reader, appId)).map(answerFor);
    },

    /** With the number of its members. Throws GROUP_NOT_FOUND. */
    async get(appId: string, name: string): Promise<GroupAnswer & { members: number }> {
      const group = await getGroup(storage.reader, appId, name);
      return { ...answerFor(group), members: await countMembers(storage.reader, group.id) };
    },

    /** A page of members, ordered by id; the last has no cursor. Throws GROUP_NOT_FOUND. */
    async members(
      appId: string,
      name: string,
      { after, limit }: { after: string; limit: number },
    ): Promise<{ members: MemberAnswer[]; nextCursor: string | null }> {
      const group = await getGroup(storage.reader, appId, name);
      const found = await listMembers(storage.reader, group.id, { after, limit: limit + 1 });
      const members = found.slice(0, limit).map((member) => ({
        id: member.userId,
        email: member.email,
        name: member.name,
        addedAt: isoTime(member.createdAt),
      }));
      return { members, nextCursor: found.length > limit ? (members.at(-1)?.id ?? null) : null };
    },

    /**
     * Adds users, all or none, and returns how many were not members. Throws GROUP_NOT_FOUND,
     * USER_NOT_FOUND, INVALID_REQUEST for a user in too many groups or with too large claims.
     */
    async add(appId: string, name: string, userIds: readonly string[], call: GroupCall): Promise<number> {
      const now = clock();
      return await storage.write(async (tx, rollBack) => {
        const application = await applicationOf(tx, appId);
        const group = await getGroup(tx, appId, name);
        const wanted = [...new Set(userIds)].toSorted();
        await lockUsersOf(tx, appId, wanted);
        const added: string[] = [];
        for (const userId of wanted)
          if (await addOne(tx, { group, application, name, userId }, call, now)) added.push(userId);
        if (added.length > 0) await claimSources.changed(tx, added);
        if (call.dryRun) throw rollBack(added.length);
        return added.length;
      });
    },

    /**
     * Removes users, all or none, and returns how many were members. Throws GROUP_NOT_FOUND,
     * USER_NOT_FOUND.
     */
    async remove(appId: string, name: string, userIds: readonly string[], call: GroupCall): Promise<number> {
      const now = clock();
      return await storage.write(async (tx, rollBack) => {
        const group = await getGroup(tx, appId, name);
        await lockUsersOf(tx, appId, [...new Set(userIds)].toSorted());
        const removed = await deleteMembers(tx, group.id, userIds);
        for (const userId of removed) await note(tx, "group.remove", { appId, name, userId }, call, now);
        if (removed.length > 0) await claimSources.changed(tx, removed);
        if (call.dryRun) throw rollBack(removed.length);
        return removed.length;
      });
    },

    /** All names, sorted. */
    names: async (appId: string, handle: Handle): Promise<string[]> =>
      (await listGroups(handle, appId)).map(({ name }) => name ?? ""),

    /** The names of a user's groups, sorted. */
    ofUser: async (userId: string, handle?: Handle): Promise<string[]> =>
      (await claimSources.read(userId, handle)).groups,

    /** The same, if the user belongs to this application. Throws USER_NOT_FOUND. */
    async ofUserIn(appId: string, userId: string): Promise<string[]> {
      if ((await users.find(userId))?.appId !== appId) throw userNotFound();
      return (await claimSources.read(userId)).groups;
    },

    /** Whether a client's allowed groups admit this user (docs/spec/openid.md, 1). */
    async admits(
      { appId, allowedGroups: names }: Pick<Client, "appId" | "allowedGroups">,
      userId: string,
      handle: Handle = storage.reader,
    ): Promise<boolean> {
      return names === null || (await isInOneOf(handle, { appId, userId, names }));
    },
  };
}

function answerFor({ name, createdAt }: Group): GroupAnswer {
  return { name: name ?? "", createdAt: isoTime(createdAt) };
}
