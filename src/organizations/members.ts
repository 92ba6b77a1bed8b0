/** Members of organizations: who joins, with which roles, and how a membership ends. */
import { isoTime } from "../lib/clock.ts";
import { AppError, userNotFound } from "../lib/errors.ts";
import { changeOf, type Wanted } from "../lib/wanted.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { JoinedBy } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { countClaimsChange } from "../users/claim-sources-store.ts";
import { lockUser } from "../users/store.ts";
import { isPending, type User } from "../users/user.ts";
import { note, tokensEnd } from "./announcements.ts";
import { endInvitations } from "./invitation-store.ts";
import { endSetupLinks } from "./provider/setup-link-store.ts";
import {
  countMembers,
  endMember,
  findMember,
  insertMember,
  listMembers,
  listMemberships,
  listOrganizationsOf,
  listOwners,
  recordExempt,
  recordOwnerSince,
  recordOwnerUntil,
  replaceRoles,
  type Member,
} from "./membership-store.ts";
import { ownersChanged } from "./notices.ts";
import {
  maxMembers,
  maxOrganizationsOfUser,
  notAllowed,
  organizationNotFound,
  type Acting,
  type Organization,
} from "./organization.ts";
import { checkedRoles, lastOwner, rankOf, refuseRoleChange, requireRank, type Rank } from "./rights.ts";
import { changeOrganization, deleteBlocks, insertBlock, lockAddedRoles, lockOrganization } from "./store.ts";

export type MemberAnswer = {
  id: string;
  email: string | null;
  name: string | null;
  roles: string[];
  joinedBy: JoinedBy;
  joinedAt: string;
  disabled: boolean;
  /** Omitted unless the person waits for approval. */
  pending?: true;
  /** Omitted unless the member may do without the organization's provider. */
  providerExempt?: true;
};

function memberAnswer(member: Member): MemberAnswer {
  const { userId: id, email, name, roles, joinedBy, createdAt, disabledAt } = member;
  return {
    id,
    email,
    name,
    roles,
    joinedBy,
    joinedAt: isoTime(createdAt),
    disabled: disabledAt !== null,
    ...(isPending(member) && { pending: true }),
    ...(member.providerExempt && { providerExempt: true }),
  };
}

/** Locks an organization that is not deleted. Throws ORGANIZATION_NOT_FOUND. */
export async function lockExisting(tx: Handle, { id }: Pick<Organization, "id">): Promise<Organization> {
  const organization = await lockOrganization(tx, id);
  if (!organization || organization.deletedAt !== null) throw organizationNotFound();
  return organization;
}

/** The same, for an act of somebody. Throws INSUFFICIENT_SCOPE for a rank below `least`, too. */
export async function lockFor(
  tx: Handle,
  given: Pick<Organization, "id">,
  acting: Acting,
  least?: "owner" | "admin",
): Promise<{ organization: Organization; rank: Rank }> {
  const organization = await lockExisting(tx, given);
  const rank = await rankOf(tx, organization, acting);
  if (least) requireRank(rank, least);
  return { organization, rank };
}

/** Locks a user of the organization's application. Throws USER_NOT_FOUND. */
async function lockPerson(tx: Handle, { appId }: Organization, userId: string): Promise<User> {
  const user = await lockUser(tx, userId);
  if (user?.appId !== appId) throw userNotFound();
  return user;
}

/** Of an address without its `+…`, so that a removed person does not return with another tag. */
export function addressDigest(ctx: Context, { id }: Pick<Organization, "id">, email: string | null): string | null {
  if (email === null) return null;
  const [local = "", domain = ""] = email.split("@");
  const untagged = `${local.replace(/(?<=.)\+.*$/u, "")}@${domain}`;
  return ctx.keyring.mac("email", "organization-block", id, untagged).toString("base64url");
}

type Joining = { user: User; roles: readonly string[]; joinedBy: JoinedBy; providerExempt?: boolean };

/**
 * Makes a locked person who is none a member of a locked organization, and ends a block. Throws
 * CONFLICT if it is full, or the person is in too many.
 */
export async function join(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { user, roles, joinedBy, providerExempt = false }: Joining,
  acting: Acting,
  now: number,
): Promise<void> {
  const { id: organizationId, appId } = organization;
  const place = { organizationId, userId: user.id, appId };
  if ((await listOrganizationsOf(tx, user.id)).length >= maxOrganizationsOfUser)
    throw new AppError("CONFLICT", `A person can be in at most ${maxOrganizationsOfUser} organizations.`);
  await insertMember(tx, { ...place, joinedBy, providerExempt, createdAt: now });
  const members = await countMembers(tx, organizationId);
  if (members > Math.min(organization.maxMembers ?? maxMembers, maxMembers))
    throw new AppError("CONFLICT", "The organization has as many members as it may have.");
  await replaceRoles(tx, place, roles);
  const { email } = user;
  await deleteBlocks(tx, { organizationId, userId: user.id, addressDigest: addressDigest(ctx, organization, email) });
  if (members > 1 && organization.sharedAt === null) await changeOrganization(tx, organizationId, { sharedAt: now });
  await countClaimsChange(tx, [user.id]);
  const details = { joinedBy };
  const noted = { action: "member.add", event: "organization.member.added", userId: user.id, roles, details } as const;
  await note(ctx, tx, organization, noted, acting, now);
  if (roles.includes("owner")) await ownerAdded(ctx, tx, organization, { ...user, userId: user.id }, now);
}

async function ownerAdded(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { userId, ...added }: Pick<Member, "userId" | "email" | "emailVerified" | "disabledAt">,
  now: number,
): Promise<void> {
  await recordOwnerSince(tx, { organizationId: organization.id, userId }, now);
  const ownerlessAt = added.disabledAt === null ? null : now;
  await changeOrganization(tx, organization.id, { ownedAt: organization.ownedAt ?? now, ownerlessAt });
  await ownersChanged(ctx, tx, organization, { added }, now);
}

/** Gives a member other roles, and returns whether that changed anything. */
export async function setRoles(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { member, roles, rank }: { member: Member; roles: readonly string[]; rank: Rank },
  acting: Acting,
  now: number,
): Promise<boolean> {
  const { id: organizationId, appId } = organization;
  const { userId, roles: before } = member;
  if (before.join() === roles.join()) return false;
  const place = { organizationId, userId, appId };
  const losesOwner = before.includes("owner") && !roles.includes("owner");
  if (losesOwner) await refuseLastOwner(tx, organization, userId, rank);
  await replaceRoles(tx, place, roles);
  if (losesOwner || (before.includes("admin") && !roles.includes("admin") && !roles.includes("owner")))
    await endSent(tx, { organizationId, userId }, now);
  await countClaimsChange(tx, [userId]);
  if (before.some((role) => !roles.includes(role))) await tokensEnd(ctx, tx, organization, userId);
  const details = { before: before.join(", ") };
  const noted = { action: "member.update", event: "organization.member.updated", userId, roles, details } as const;
  await note(ctx, tx, organization, noted, acting, now);
  if (losesOwner) await ownerLost(ctx, tx, organization, member, acting, now);
  if (!before.includes("owner") && roles.includes("owner")) await ownerAdded(ctx, tx, organization, member, now);
  return true;
}

/** The server and an operator may remove the last owner. Throws CONFLICT. */
async function refuseLastOwner(tx: Handle, { id }: Organization, userId: string, rank: Rank): Promise<void> {
  if (rank === "server") return;
  if (!(await listOwners(tx, id)).some((owner) => owner.userId !== userId)) throw lastOwner();
}

/** What follows when a member is no owner any more. */
async function ownerLost(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  member: Member,
  acting: Acting,
  now: number,
): Promise<void> {
  const { id: organizationId } = organization;
  await recordOwnerUntil(tx, { organizationId, userId: member.userId }, now);
  if (acting.member && acting.member.userId !== member.userId)
    await changeOrganization(tx, organizationId, { ownerRemovedAt: now });
  await ownersChanged(ctx, tx, organization, { removed: member }, now);
  if (member.disabledAt === null) await noteOwnerless(ctx, tx, organization, acting, now);
}

/** Tells the application if an organization that had an owner has none. */
async function noteOwnerless(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  acting: Acting,
  now: number,
): Promise<void> {
  if ((await listOwners(tx, organization.id)).length > 0) return;
  await changeOrganization(tx, organization.id, { ownerlessAt: now });
  await note(ctx, tx, organization, { action: "ownerless", event: "organization.ownerless" }, acting, now);
}

/** Whether a member may do without the organization's provider. Throws INSUFFICIENT_SCOPE. */
async function setExempt(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { member, exempt, rank }: { member: Member; exempt: boolean; rank: Rank },
  acting: Acting,
  now: number,
): Promise<void> {
  if (member.providerExempt === exempt) return;
  requireRank(rank, "owner");
  const { userId, roles } = member;
  await recordExempt(tx, { organizationId: organization.id, userId }, exempt);
  await countClaimsChange(tx, [userId]);
  if (!exempt) await tokensEnd(ctx, tx, organization, userId);
  const noted = { action: "member.update", event: "organization.member.updated", userId, roles } as const;
  await note(ctx, tx, organization, { ...noted, details: { providerExempt: exempt } }, acting, now);
}

/**
 * Gives roles to a member; with `adds`, makes somebody a member who is none. Throws USER_NOT_FOUND,
 * ORGANIZATION_NOT_FOUND, INVALID_REQUEST, INSUFFICIENT_SCOPE, CONFLICT.
 */
export async function put(
  ctx: Context,
  given: Organization,
  {
    userId,
    roles,
    adds,
    providerExempt: exempt,
  }: {
    userId: string;
    roles: Wanted<readonly string[], readonly string[]>;
    adds: boolean;
    providerExempt?: boolean | undefined;
  },
  acting: Acting,
): Promise<MemberAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write<MemberAnswer>(async (tx, rollBack) => {
    const added = await lockAddedRoles(tx, given.appId);
    const user = await lockPerson(tx, given, userId);
    const { organization, rank } = await lockFor(tx, given, acting);
    const place = { organizationId: organization.id, userId };
    const member = await findMember(tx, place);
    const after = checkedRoles(changeOf(roles, member?.roles ?? []), added);
    requireRank(rank, "admin");
    if (!member && !adds) throw userNotFound();
    // Members invite: only the server adds somebody who has not agreed.
    if (!member && rank !== "server") throw notAllowed();
    refuseRoleChange(rank, { before: member?.roles ?? [], after, isOwn: acting.member?.userId === userId, added });
    if (member) await setRoles(ctx, tx, organization, { member, roles: after, rank }, acting, now);
    else await join(ctx, tx, organization, { user, roles: after, joinedBy: "server" }, acting, now);
    const present = await findMember(tx, place);
    if (present && exempt !== undefined)
      await setExempt(ctx, tx, organization, { member: present, exempt, rank }, acting, now);
    const changed = await findMember(tx, place);
    if (!changed) throw userNotFound();
    if (acting.dryRun) throw rollBack(memberAnswer(changed));
    return memberAnswer(changed);
  });
}

/**
 * Removes a member, who stays a user; somebody who removes themselves leaves, and may come back.
 * Throws USER_NOT_FOUND if they are none, and as `put`.
 */
export async function remove(ctx: Context, given: Organization, userId: string, acting: Acting): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const added = await lockAddedRoles(tx, given.appId);
    const user = await lockPerson(tx, given, userId);
    const { organization, rank } = await lockFor(tx, given, acting);
    const leaves = acting.member?.userId === userId && !acting.member.throughServer;
    if (!leaves) requireRank(rank, "admin");
    const member = await findMember(tx, { organizationId: organization.id, userId });
    if (!member) throw userNotFound();
    const isOwn = acting.member?.userId === userId;
    if (!leaves) refuseRoleChange(rank, { before: member.roles, after: [], isOwn, added });
    if (member.roles.includes("owner")) await refuseLastOwner(tx, organization, userId, rank);
    await end(ctx, tx, organization, { member, user, leaves }, acting, now);
    if (acting.dryRun) throw rollBack(undefined);
  });
}

async function end(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { member, user, leaves }: { member: Member; user: User; leaves: boolean },
  acting: Acting,
  now: number,
): Promise<void> {
  const { id: organizationId, appId } = organization;
  const { userId } = member;
  await endMember(tx, { organizationId, userId }, now);
  await replaceRoles(tx, { organizationId, userId, appId }, []);
  await endSent(tx, { organizationId, userId }, now);
  if (!leaves) {
    const digest = addressDigest(ctx, organization, user.email);
    await insertBlock(tx, { organizationId, userId, appId, addressDigest: digest, createdAt: now });
    if (user.email !== null) await endInvitations(tx, { organizationId, email: user.email }, "ended", now);
  }
  await countClaimsChange(tx, [userId]);
  await tokensEnd(ctx, tx, organization, userId);
  const action = leaves ? "member.leave" : "member.remove";
  await note(ctx, tx, organization, { action, event: "organization.member.removed", userId }, acting, now);
  if (member.roles.includes("owner")) await ownerLost(ctx, tx, organization, member, acting, now);
}

/** Ends what a member sent who may not any more. */
async function endSent(
  tx: Handle,
  { organizationId, userId }: { organizationId: string; userId: string },
  now: number,
): Promise<void> {
  await endInvitations(tx, { organizationId, inviterId: userId }, "ended", now);
  await endSetupLinks(tx, { organizationId, makerId: userId }, now);
}

/**
 * Ends the invitations of a locked person who is about to be disabled or deleted. Returns the
 * organizations that they own, for `reportOwnerless` afterwards; none if they are disabled already.
 */
export async function endSentInvitations(
  tx: Handle,
  { id: userId, disabledAt }: Pick<User, "id" | "disabledAt">,
  now: number,
): Promise<Organization[]> {
  const owned: Organization[] = [];
  for (const organizationId of await listOrganizationsOf(tx, userId)) {
    const organization = await lockOrganization(tx, organizationId);
    await endSent(tx, { organizationId, userId }, now);
    const member = await findMember(tx, { organizationId, userId });
    if (organization && organization.deletedAt === null && member?.roles.includes("owner")) owned.push(organization);
  }
  // One whose owner is disabled already has others, or was reported then.
  return disabledAt === null ? owned : [];
}

/** Reports those of these organizations that have no live owner any more. */
export async function reportOwnerless(
  ctx: Context,
  tx: Handle,
  owned: readonly Organization[],
  by: By,
  now: number,
): Promise<void> {
  for (const organization of owned) await noteOwnerless(ctx, tx, organization, by, now);
}

/** A page of members, ordered by id. */
export async function list(
  ctx: Context,
  { id }: Organization,
  { after, limit }: { after: string; limit: number },
): Promise<{ members: MemberAnswer[]; nextCursor: string | null }> {
  const rows = await listMembers(ctx.storage.reader, id, { after, limit: limit + 1 });
  const members = rows.slice(0, limit).map(memberAnswer);
  return { members, nextCursor: rows.length > limit ? (members.at(-1)?.id ?? null) : null };
}

export type MembershipAnswer = { id: string; name: string; slug: string; roles: string[]; joinedAt: string };

/** The live memberships of a person. */
export async function ofPerson(ctx: Context, userId: string): Promise<MembershipAnswer[]> {
  const memberships = await listMemberships(ctx.storage.reader, userId);
  return memberships.map(({ organizationId: id, name, slug, roles, joinedAt: at }) => {
    return { id, name, slug, roles, joinedAt: isoTime(at) };
  });
}
