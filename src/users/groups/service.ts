/** Groups of an application's users. Only the operator and the application's server change them. */
import type { Application } from "../../applications/application.ts";
import type { Client } from "../../applications/clients/client.ts";
import * as ids from "../../applications/ids.ts";
import * as applications from "../../applications/service.ts";
import { isoTime } from "../../lib/clock.ts";
import { applicationNotFound, invalidRequest, userNotFound } from "../../lib/errors.ts";
import { newId } from "../../lib/random.ts";
import { personsSource } from "../../lib/request-source.ts";
import { changeOf, type Wanted } from "../../lib/wanted.ts";
import * as audit from "../../records/audit/audit.ts";
import { changedValues } from "../../records/audit/changes.ts";
import type { Context } from "../../runtime/context.ts";
import type { SecondFactorPolicy, SettingChanges } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as claimSources from "../../tokens/claim-sources.ts";
import { countClaimsChange } from "../claim-sources-store.ts";
import * as users from "../service.ts";
import { lockUsers } from "../store.ts";
import { checkedGroupName, groupNotFound, maxGroupsOfApplication, maxGroupsOfUser, type GroupCall } from "./rules.ts";
import {
  changeGroup,
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
  lockGroup,
  lockGroupNames,
  type Group,
} from "./store.ts";

export type GroupAnswer = { name: string; secondFactor: SecondFactorPolicy; createdAt: string };

/** The settings of the operator or server; omitted: unchanged, or the default. */
export type GroupSettings = { secondFactor?: SecondFactorPolicy | undefined };

/** `addedAt`: when the user became a member. */
export type MemberAnswer = { id: string; email: string | null; name: string | null; addedAt: string };

async function applicationOf(ctx: Context, handle: Handle, appId: string): Promise<Application> {
  const application = await applications.find(ctx, handle, appId);
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
  const locked = await lockUsers(tx, userIds);
  const own = new Set(locked.filter((user) => user.appId === appId).map(({ id }) => id));
  if (userIds.some((id) => !own.has(id))) throw userNotFound();
}

type Noted = GroupSettings & {
  group: Pick<Group, "id" | "appId">;
  name: string;
  userId?: string;
  changes?: SettingChanges;
};

/** Writes an audit entry and, for a change of a user, the webhook event. */
async function note(
  ctx: Context,
  tx: Handle,
  action: string,
  { group: { id, appId }, name, userId, changes, ...settings }: Noted,
  { actor, source }: GroupCall,
  now: number,
): Promise<void> {
  const details = { group: name, ...settings };
  const about = { appId, userId: userId ?? null, source, details, target: id, changes };
  await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);
  if (userId !== undefined)
    await users.recordUpdate(ctx, tx, { id: userId, appId }, personsSource({ actor, source }), now);
}

async function addOne(
  ctx: Context,
  tx: Handle,
  { group, application, name, userId }: { group: Group; application: Application; name: string; userId: string },
  call: GroupCall,
  now: number,
): Promise<boolean> {
  if (!(await insertMember(tx, { groupId: group.id, userId, createdAt: now }))) return false;
  if ((await countGroupsOfUser(tx, userId)) > maxGroupsOfUser)
    throw invalidRequest("userId", `a user can be in at most ${maxGroupsOfUser} groups`);
  await claimSources.refuseTooLarge(tx, application, userId, "userId");
  await note(ctx, tx, "group.add", { group, name, userId }, call, now);
  return true;
}

/**
 * Creates a group, or returns the existing one. Throws APP_NOT_FOUND, INVALID_REQUEST for an
 * invalid name or too many groups.
 */
export async function create(
  ctx: Context,
  appId: string,
  name: string,
  call: GroupCall,
  { secondFactor }: GroupSettings = {},
): Promise<{ group: GroupAnswer; isNew: boolean }> {
  const now = ctx.clock();
  checkedGroupName(name);
  return await ctx.storage.write(async (tx, rollBack) => {
    // Locked, so that concurrent calls count each other.
    if (!(await ids.lock(tx, appId, now))) throw applicationNotFound();
    const group = {
      id: newId("grp", now, ctx.random),
      appId,
      name,
      secondFactor: stored(secondFactor),
      createdAt: now,
    };
    if (!(await insertGroup(tx, group))) return { group: answerFor(await getGroup(tx, appId, name)), isNew: false };
    if ((await countGroups(tx, appId)) > maxGroupsOfApplication)
      throw invalidRequest("name", `an application can have at most ${maxGroupsOfApplication} groups`);
    await note(ctx, tx, "group.create", { group, name, ...settingsOf(group) }, call, now);
    const created = { group: answerFor(group), isNew: true };
    if (call.dryRun) throw rollBack(created);
    return created;
  });
}

/** Its members are judged by the new policy at the next refresh. Throws GROUP_NOT_FOUND. */
export async function update(
  ctx: Context,
  appId: string,
  name: string,
  wanted: Wanted<GroupSettings, GroupAnswer>,
  call: GroupCall,
): Promise<GroupAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    const group = await lockGroup(tx, appId, name);
    if (!group) throw groupNotFound();
    const { secondFactor } = changeOf(wanted, answerFor(group));
    const changed = secondFactor === undefined ? group : { ...group, secondFactor: stored(secondFactor) };
    const answer = answerFor(changed);
    if (call.dryRun || changed.secondFactor === group.secondFactor) throw rollBack(answer);
    await changeGroup(tx, changed);
    const { secondFactor: policy } = answer;
    const changes = changedValues("secondFactor", [answerFor(group).secondFactor], [policy]);
    await note(ctx, tx, "group.update", { group, name, secondFactor: policy, changes }, call, now);
    return answer;
  });
}

/** Creates a group with these settings, or gives them to the existing one. Throws as `create`. */
export async function put(
  ctx: Context,
  appId: string,
  name: string,
  settings: GroupSettings,
  call: GroupCall,
): Promise<GroupAnswer> {
  const { group, isNew } = await create(ctx, appId, name, call, settings);
  return isNew ? group : await update(ctx, appId, name, settings, call);
}

/** Sorted by name. Throws APP_NOT_FOUND. */
export async function list(ctx: Context, appId: string): Promise<GroupAnswer[]> {
  await applicationOf(ctx, ctx.storage.reader, appId);
  return (await listGroups(ctx.storage.reader, appId)).map(answerFor);
}

/** With the number of its members. Throws GROUP_NOT_FOUND. */
export async function get(ctx: Context, appId: string, name: string): Promise<GroupAnswer & { members: number }> {
  const group = await getGroup(ctx.storage.reader, appId, name);
  return { ...answerFor(group), members: await countMembers(ctx.storage.reader, group.id) };
}

/** A page of members, ordered by id; the last has no cursor. Throws GROUP_NOT_FOUND. */
export async function members(
  ctx: Context,
  appId: string,
  name: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ members: MemberAnswer[]; nextCursor: string | null }> {
  const group = await getGroup(ctx.storage.reader, appId, name);
  const rows = await listMembers(ctx.storage.reader, group.id, { after, limit: limit + 1 });
  const members = rows.slice(0, limit).map((member) => ({
    id: member.userId,
    email: member.email,
    name: member.name,
    addedAt: isoTime(member.createdAt),
  }));
  return { members, nextCursor: rows.length > limit ? (members.at(-1)?.id ?? null) : null };
}

/**
 * Adds users, all or none, and returns how many were not members. Throws GROUP_NOT_FOUND,
 * USER_NOT_FOUND, INVALID_REQUEST for a user in too many groups or with too large claims.
 */
export async function add(
  ctx: Context,
  appId: string,
  name: string,
  userIds: readonly string[],
  call: GroupCall,
): Promise<number> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    const application = await applicationOf(ctx, tx, appId);
    const group = await getGroup(tx, appId, name);
    const wanted = [...new Set(userIds)].toSorted();
    await lockUsersOf(tx, appId, wanted);
    const added: string[] = [];
    for (const userId of wanted)
      if (await addOne(ctx, tx, { group, application, name, userId }, call, now)) added.push(userId);
    if (added.length > 0) await countClaimsChange(tx, added);
    if (call.dryRun) throw rollBack(added.length);
    return added.length;
  });
}

/**
 * Removes users, all or none, and returns how many were members. Throws GROUP_NOT_FOUND,
 * USER_NOT_FOUND.
 */
export async function remove(
  ctx: Context,
  appId: string,
  name: string,
  userIds: readonly string[],
  call: GroupCall,
): Promise<number> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    const group = await getGroup(tx, appId, name);
    await lockUsersOf(tx, appId, [...new Set(userIds)].toSorted());
    const removed = await deleteMembers(tx, group.id, userIds);
    for (const userId of removed) await note(ctx, tx, "group.remove", { group, name, userId }, call, now);
    if (removed.length > 0) await countClaimsChange(tx, removed);
    if (call.dryRun) throw rollBack(removed.length);
    return removed.length;
  });
}

/** All names, sorted. */
export async function names(appId: string, handle: Handle): Promise<string[]> {
  return (await listGroups(handle, appId)).map(({ name }) => name ?? "");
}

/** The same; none can be deleted until the transaction ends. */
export async function lockNames(handle: Handle, appId: string): Promise<string[]> {
  return await lockGroupNames(handle, appId);
}

/** The names of a user's groups, sorted. */
export async function ofUser(handle: Handle, userId: string): Promise<string[]> {
  return (await claimSources.read(handle, userId)).groups;
}

/** The same, if the user belongs to this application. Throws USER_NOT_FOUND. */
export async function ofUserIn(ctx: Context, appId: string, userId: string): Promise<string[]> {
  if ((await users.find(ctx.storage.reader, userId))?.appId !== appId) throw userNotFound();
  return (await claimSources.read(ctx.storage.reader, userId)).groups;
}

/** Whether a client's allowed groups admit this user (docs/spec/openid.md, 1). */
export async function admits(
  handle: Handle,
  { appId, allowedGroups: names, proxy }: Pick<Client, "appId" | "allowedGroups"> & Partial<Pick<Client, "proxy">>,
  userId: string,
): Promise<boolean> {
  // A protected host lets nobody in by default.
  if (names === null) return proxy?.access !== "groups";
  return names.length > 0 && (await isInOneOf(handle, { appId, userId, names }));
}

function answerFor({ name, secondFactor, createdAt }: Group): GroupAnswer {
  return { name: name ?? "", secondFactor: secondFactor ?? "off", createdAt: isoTime(createdAt) };
}

function stored(policy: SecondFactorPolicy | undefined): SecondFactorPolicy | null {
  return policy === undefined || policy === "off" ? null : policy;
}

/** For the audit log: only values other than the default. */
function settingsOf({ secondFactor }: Group): GroupSettings {
  return secondFactor === null ? {} : { secondFactor };
}
