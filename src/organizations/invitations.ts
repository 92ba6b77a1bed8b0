/**
 * Invitations into an organization: a mailed link that only the owner of the address can use. The
 * row decides everything; no answer has the link (docs/decisions/0093).
 */
import type { Application } from "../applications/application.ts";
import { day, hour, isoTime } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { digestOf, newId, newSecret } from "../lib/random.ts";
import type { RequestSource } from "../lib/request-source.ts";
import { checkedNewEmail } from "../lib/user-fields.ts";
import * as allowance from "../records/mail/allowance.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import { lockUser } from "../users/store.ts";
import { mayProve, type User } from "../users/user.ts";
import { note } from "./announcements.ts";
import { listProvedDomains } from "./domains/store.ts";
import {
  countOfOrganization,
  countOfUnapproved,
  endInvitations,
  findInvitation,
  findNotEnded,
  hasRefused,
  insertInvitation,
  listForAddress,
  listOpen,
  recordOfferedAt,
  type Invitation,
} from "./invitation-store.ts";
import * as members from "./members.ts";
import { findMember } from "./membership-store.ts";
import { tell } from "./notices.ts";
import { asMember, tooMany, type Acting, type Organization } from "./organization.ts";
import { checkedRoles, mayChangeRoles, maxRoles, rankOf, refuseRoleChange, requireRank, type Rank } from "./rights.ts";
import { changeOrganization, findOrganization, lockAddedRoles, lockOrganization } from "./store.ts";

const invitationLasts = 7 * day;
const maxInvitationsAtOnce = 50;
export const maxOpen = 500;
const maxInAnHour = 50;
/** Of one that a person created, until the server sets `maxMembers` or it proves a domain. */
const maxOfUnapproved = 20;
const maxOfAllUnapprovedInADay = 1000;
const refusalHolds = 30 * day;

export type InvitationAnswer = {
  id: string;
  email: string;
  roles: string[];
  inviterId: string | null;
  createdAt: string;
  expiresAt: string;
};

function invitationAnswer(invitation: Invitation): InvitationAnswer {
  const { id, email, roles, inviterId, createdAt, expiresAt } = invitation;
  return { id, email, roles, inviterId, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

/** `redirectUri`: where accepting ends; a registered one. */
export type NewInvitation = {
  email: string;
  roles: readonly string[];
  redirectUri?: string | null | undefined;
  /** May do without the organization's provider, such as a helper from outside. */
  providerExempt?: boolean | undefined;
};

/** `error`: why this one was not sent. */
export type InviteResult = { email: string; invitation: InvitationAnswer | null; error: AppError | null };

function invitationNotFound(): AppError {
  return new AppError("ORGANIZATION_NOT_FOUND", "The organization has no open invitation with this id.");
}

/**
 * Invites up to 50 people, each by itself: one that is refused does not hold up the others. Throws
 * INVALID_REQUEST, INSUFFICIENT_SCOPE, ORGANIZATION_NOT_FOUND for what concerns all of them.
 */
export async function invite(
  ctx: Context,
  application: Application,
  given: Organization,
  wanted: readonly NewInvitation[],
  acting: Acting,
): Promise<InviteResult[]> {
  if (wanted.length < 1 || wanted.length > maxInvitationsAtOnce)
    throw invalidRequest("invitations", `1 to ${maxInvitationsAtOnce}`);
  if (!mail.takesMail(ctx)) throw invalidRequest("invitations", "the service has no mail server");
  requireRank(await rankOf(ctx.storage.reader, given, acting), "admin");
  const results: InviteResult[] = [];
  for (const one of wanted) results.push(await inviteOne(ctx, application, given, one, acting));
  return results;
}

async function inviteOne(
  ctx: Context,
  application: Application,
  given: Organization,
  wanted: NewInvitation,
  acting: Acting,
): Promise<InviteResult> {
  const now = ctx.clock();
  try {
    const email = checkedNewEmail(wanted.email);
    const { redirectUri = null, providerExempt = false } = wanted;
    if (redirectUri !== null && !application.redirectUris.includes(redirectUri))
      throw invalidRequest("redirectUri", "a redirect URI of the application");
    const invitation = await ctx.storage.write<Invitation>(async (tx, rollBack) => {
      const added = await lockAddedRoles(tx, given.appId);
      const roles = checkedRoles(wanted.roles, added);
      const { organization, rank } = await members.lockFor(tx, given, acting);
      refuseRoleChange(rank, { before: [], after: roles, isOwn: false, added });
      if (providerExempt) requireRank(rank, "owner");
      const sending = { email, roles, redirectUri, providerExempt, added, rank };
      const sent = await send(ctx, tx, organization, sending, acting, now);
      if (acting.dryRun) throw rollBack(sent);
      return sent;
    });
    return { email, invitation: invitationAnswer(invitation), error: null };
  } catch (error) {
    if (error instanceof AppError && error.code !== "SERVER_ERROR")
      return { email: wanted.email, invitation: null, error };
    throw error;
  }
}

type Sending = {
  email: string;
  roles: string[];
  redirectUri: string | null;
  providerExempt?: boolean;
  added: readonly string[];
  rank: Rank;
};

/** Writes and mails an invitation in this transaction, with the organization locked. */
export async function send(
  ctx: Context,
  tx: Handle,
  organization: Organization,
  { email, roles, redirectUri, providerExempt = false, added, rank }: Sending,
  acting: Acting,
  now: number,
): Promise<Invitation> {
  const { id: organizationId, appId, disabledAt } = organization;
  if (disabledAt !== null) throw new AppError("CONFLICT", "The organization is disabled.");
  const invitee = await users.findByEmail(tx, appId, email);
  if (invitee?.emailVerified && (await findMember(tx, { organizationId, userId: invitee.id })))
    throw new AppError("CONFLICT", "Somebody with this address is a member.");
  if (acting.member && (await hasRefused(tx, { organizationId, email, since: now - refusalHolds })))
    throw new AppError("CONFLICT", "This person declined an invitation in the last 30 days.");
  const open = await findNotEnded(tx, organizationId, email);
  // An admin must not replace an invitation that gives more than they may.
  if (open && open.expiresAt > now) refuseRoleChange(rank, { before: open.roles, after: roles, isOwn: false, added });
  await endInvitations(tx, { organizationId, email }, "replaced", now);
  await refuseTooMany(tx, organization, acting, now);
  if (!(await allowance.countInvite(ctx, tx, { purpose: "organization-invite", appId, email }, now)))
    throw tooMany("This address, or the application, has had its invitations of this hour.", hour);
  const secret = newSecret(ctx.random);
  const inviterId = acting.member?.userId ?? null;
  const invitation: Invitation = {
    id: newId("inv", now, ctx.random),
    organizationId,
    appId,
    email,
    roles,
    inviterId,
    redirectUri,
    digest: digestOf(secret),
    createdAt: now,
    expiresAt: now + invitationLasts,
    providerExempt,
    offeredAt: null,
    endedAt: null,
    end: null,
  };
  await insertInvitation(tx, invitation);
  await changeOrganization(tx, organizationId, { invitationCount: organization.invitationCount + 1 });
  await note(ctx, tx, organization, { action: "invite", roles, details: { invitation: invitation.id } }, acting, now);
  const inviter = inviterId === null ? undefined : await users.find(tx, inviterId);
  await mail.enqueue(
    ctx,
    tx,
    {
      kind: "organization-invite",
      appId,
      userId: null,
      to: email,
      locale: invitee?.locale ?? null,
      origin: { ipAddress: null, userAgent: null },
      organization: organization.name,
      inviter: inviter?.emailVerified ? inviter.email : null,
      link: `${ctx.baseUrl}/organization/invitation/${secret}?app_id=${encodeURIComponent(appId)}`,
      expiresAt: invitation.expiresAt,
    },
    now,
  );
  return invitation;
}

/** Throws RATE_LIMITED, CONFLICT. */
async function refuseTooMany(tx: Handle, organization: Organization, { actor }: Acting, now: number): Promise<void> {
  const { id, appId, creatorId, approvedAt, invitationCount } = organization;
  const counts = await countOfOrganization(tx, id, now - hour, now);
  if (counts.open >= maxOpen)
    throw new AppError("CONFLICT", `An organization has at most ${maxOpen} open invitations.`);
  // A command may move a whole company here.
  if (counts.made >= maxInAnHour && actor.kind !== "cli")
    throw tooMany("The organization has sent its invitations of this hour.", hour);
  if (creatorId === null || approvedAt !== null || (await listProvedDomains(tx, id)).length > 0) return;
  if (invitationCount >= maxOfUnapproved)
    throw tooMany("The organization has to prove a domain before it invites more people.", day);
  if ((await countOfUnapproved(tx, appId, now - day)) >= maxOfAllUnapprovedInADay)
    throw tooMany("New organizations have sent their invitations of this day.", day);
}

/** A page of the open invitations, ordered by id. */
export async function list(
  ctx: Context,
  { id }: Organization,
  { after, limit }: { after: string; limit: number },
): Promise<{ invitations: InvitationAnswer[]; nextCursor: string | null }> {
  const rows = await listOpen(ctx.storage.reader, id, { after, limit: limit + 1 }, ctx.clock());
  const invitations = rows.slice(0, limit).map(invitationAnswer);
  return { invitations, nextCursor: rows.length > limit ? (invitations.at(-1)?.id ?? null) : null };
}

/** Ends an open invitation. Throws ORGANIZATION_NOT_FOUND, INSUFFICIENT_SCOPE. */
export async function withdraw(ctx: Context, given: Organization, id: string, acting: Acting): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write<void>(async (tx, rollBack) => {
    const added = await lockAddedRoles(tx, given.appId);
    const { organization, rank } = await members.lockFor(tx, given, acting, "admin");
    const [invitation] = await endInvitations(tx, { organizationId: organization.id, id }, "withdrawn", now);
    if (!invitation || invitation.expiresAt <= now) throw invitationNotFound();
    refuseRoleChange(rank, { before: invitation.roles, after: [], isOwn: false, added });
    if (acting.dryRun) throw rollBack(undefined);
    await note(ctx, tx, organization, { action: "invitation.withdraw", details: { invitation: id } }, acting, now);
  });
}

/** What a person sees of an invitation before they answer. */
export type Invited = { invitation: Invitation; organization: Organization };

/** The invitation of a mailed link, also one that ended; undefined if there is none. */
export async function findByLink(ctx: Context, secret: string): Promise<Invited | undefined> {
  const invitation = await findInvitation(ctx.storage.reader, { digest: digestOf(secret) });
  const organization = invitation && (await findOrganization(ctx.storage.reader, invitation.organizationId));
  return invitation && organization ? { invitation, organization } : undefined;
}

/** Whether an invitation can be answered now. */
export function isOpen({ invitation, organization }: Invited, now: number): boolean {
  return invitation.endedAt === null && invitation.expiresAt > now && organization.disabledAt === null;
}

/** An invitation that this person can answer now; undefined if there is none. */
export async function findFor(ctx: Context, id: string, user: User): Promise<Invited | undefined> {
  return (await waitingFor(ctx, user)).find(({ invitation }) => invitation.id === id);
}

/** The invitations that a person can accept: those for their verified address, the oldest first. */
export async function waitingFor(
  ctx: Context,
  { appId, email, emailVerified }: Pick<User, "appId" | "email" | "emailVerified">,
  handle = ctx.storage.reader,
): Promise<Invited[]> {
  return email === null || !emailVerified ? [] : await listForAddress(handle, { appId, email }, ctx.clock());
}

/** After a sign-in they were shown once. */
export async function recordOffered(ctx: Context, tx: Handle, shown: readonly Invited[]): Promise<void> {
  const ids = shown.map(({ invitation }) => invitation.id);
  if (ids.length > 0) await recordOfferedAt(tx, ids, ctx.clock());
}

/** The open invitation with this id that is for this person, with everything locked. */
async function lockInvited(
  tx: Handle,
  { id, userId }: { id: string; userId: string },
  now: number,
): Promise<Invited & { user: User; added: string[] }> {
  const found = await findInvitation(tx, { id });
  const added = found ? await lockAddedRoles(tx, found.appId) : [];
  const user = await lockUser(tx, userId);
  const organization = found && (await lockOrganization(tx, found.organizationId));
  // Again, as it is now that the organization is locked.
  const invitation = found && (await findInvitation(tx, { id }));
  const isForThem =
    user && mayProve(user) && user.emailVerified && user.appId === invitation?.appId && user.email === invitation.email;
  if (!invitation || !organization || !isForThem || !isOpen({ invitation, organization }, now))
    throw invitationNotFound();
  return { invitation, organization, user, added };
}

/**
 * Makes the person whose verified address is invited a member, or gives a member the roles too, and
 * ends the invitation; if that is refused, it stays open. `also`: in the same transaction. Throws
 * ORGANIZATION_NOT_FOUND, CONFLICT.
 */
export async function accept(
  ctx: Context,
  asked: { id: string; userId: string },
  source: RequestSource,
  also?: (tx: Handle, organizationId: string) => Promise<void>,
): Promise<Invited> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const invited = await acceptWithin(ctx, tx, asked, source, now);
    await also?.(tx, invited.organization.id);
    return invited;
  });
}

/** The same, in the transaction that creates the person. */
export async function acceptWithin(
  ctx: Context,
  tx: Handle,
  asked: { id: string; userId: string },
  source: RequestSource,
  now: number,
): Promise<Invited> {
  const { invitation, organization, user, added } = await lockInvited(tx, asked, now);
  const { id: organizationId } = organization;
  const { id: userId } = user;
  const acting: Acting = { actor: { kind: "user", name: userId }, source };
  await refuseLostRight(tx, organization, invitation, added);
  const member = await findMember(tx, { organizationId, userId });
  if (member) {
    const roles = [...new Set([...member.roles, ...invitation.roles])].toSorted();
    if (roles.length > maxRoles) throw new AppError("CONFLICT", `A member can have at most ${maxRoles} roles.`);
    await members.setRoles(ctx, tx, organization, { member, roles, rank: "server" }, acting, now);
  } else {
    const { roles, providerExempt } = invitation;
    await members.join(ctx, tx, organization, { user, roles, joinedBy: "invitation", providerExempt }, acting, now);
  }
  await endInvitations(tx, { organizationId, id: invitation.id }, "accepted", now);
  const details = { invitation: invitation.id };
  await note(ctx, tx, organization, { action: "invitation.accept", userId, details }, acting, now);
  return { invitation, organization };
}

/** The inviter must still be allowed to give these roles. */
async function refuseLostRight(
  tx: Handle,
  organization: Organization,
  { inviterId, roles }: Invitation,
  added: readonly string[],
): Promise<void> {
  if (inviterId === null) return;
  const rank = await rankOf(tx, organization, asMember(inviterId));
  if (!mayChangeRoles(rank, { before: [], after: roles, isOwn: false, added })) throw invitationNotFound();
}

/** The invited person does not want to join; the inviter is told. Throws ORGANIZATION_NOT_FOUND. */
export async function refuse(
  ctx: Context,
  asked: { id: string; userId: string },
  source: RequestSource,
): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const { invitation, organization, user } = await lockInvited(tx, asked, now);
    const { id: organizationId } = organization;
    await endInvitations(tx, { organizationId, id: invitation.id }, "refused", now);
    const acting: Acting = { actor: { kind: "user", name: user.id }, source };
    const noted = { action: "invitation.refuse", userId: user.id, details: { invitation: invitation.id } };
    await note(ctx, tx, organization, noted, acting, now);
    const { inviterId, email: person } = invitation;
    const inviter = inviterId === null ? undefined : await findMember(tx, { organizationId, userId: inviterId });
    const notice = { kind: "organization-declined", organization: organization.name, person } as const;
    if (inviter) await tell(ctx, tx, organization, [inviter], notice, now);
  });
}
