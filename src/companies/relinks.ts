/** After another issuer or registration all subjects are new: named members may link once. */
import { day, isoTime } from "../lib/clock.ts";
import { AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { lockUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { note } from "../organizations/announcements.ts";
import { lockFor } from "../organizations/members.ts";
import { findMember } from "../organizations/membership-store.ts";
import { tell } from "../organizations/notices.ts";
import { notAllowed, type Acting, type Organization } from "../organizations/organization.ts";
import { rankOf, rankOfRoles, requireRank } from "../organizations/rights.ts";
import { listIdentitiesOf } from "../organizations/provider/identity-store.ts";
import { findProvider } from "../organizations/provider/provider-store.ts";
import { findRelink, listRelinks, saveRelink, type Relink } from "../organizations/provider/relink-store.ts";

export type RelinkAnswer = {
  userId: string;
  expiresAt: string;
  /** Whether an owner has to let them in, and when one did. */
  asksOwner: boolean;
  agreedAt: string | null;
};

const relinksLast = 14 * day;
const unseenAfter = 30 * day;
const maxAtOnce = 200;

/** An owner's press: also for who has become an admin since it was opened. */
export function asksOwner(relink: Pick<Relink, "asksOwner">, roles: readonly string[]): boolean {
  return relink.asksOwner || rankOfRoles(roles) !== "member";
}

async function relinkAnswer(handle: Handle, relink: Relink): Promise<RelinkAnswer> {
  const { userId, expiresAt, agreedAt } = relink;
  const roles = (await findMember(handle, relink))?.roles ?? [];
  const times = { expiresAt: isoTime(expiresAt), agreedAt: agreedAt === null ? null : isoTime(agreedAt) };
  return { userId, asksOwner: asksOwner(relink, roles), ...times };
}

/** Throws INSUFFICIENT_SCOPE. */
export async function list(ctx: Context, organization: Organization, acting: Acting): Promise<RelinkAnswer[]> {
  const { reader } = ctx.storage;
  requireRank(await rankOf(reader, organization, acting), "owner");
  const open = await listRelinks(reader, organization.id, ctx.clock());
  return await Promise.all(open.map((relink) => relinkAnswer(reader, relink)));
}

/**
 * For 14 days, these members may link another identity, once, after an own proof or their mailbox.
 * Owners, admins and people who were not seen for 30 days take an owner's press each. Throws
 * INVALID_REQUEST, USER_NOT_FOUND, INSUFFICIENT_SCOPE, CONFLICT without a provider.
 */
export async function openRelink(
  ctx: Context,
  given: Organization,
  { userIds }: { userIds: readonly string[] },
  acting: Acting,
): Promise<RelinkAnswer[]> {
  const now = ctx.clock();
  const ids = [...new Set(userIds)].toSorted();
  if (ids.length < 1 || ids.length > maxAtOnce) throw invalidRequest("userIds", `1 to ${maxAtOnce} members`);
  return await ctx.storage.write<RelinkAnswer[]>(async (tx, rollBack) => {
    const users = new Map<string, User | undefined>();
    // Persons are locked before organizations.
    for (const id of ids) users.set(id, await lockUser(tx, id));
    const { organization } = await lockFor(tx, given, acting, "owner");
    const { id: organizationId, appId, name } = organization;
    const provider = await findProvider(tx, organizationId);
    if (!provider) throw new AppError("CONFLICT", "The organization has no provider.");
    const opened: RelinkAnswer[] = [];
    for (const userId of ids) {
      const member = await findMember(tx, { organizationId, userId });
      const user = users.get(userId);
      if (!member || !user) throw userNotFound();
      const used = (await listIdentitiesOf(tx, userId))
        .filter((identity) => identity.organizationId === organizationId)
        .map(({ lastUsedAt }) => lastUsedAt ?? 0);
      const lastUsedAt = Math.max(0, ...used);
      const seenAt = Math.max(lastUsedAt, user.lastLoginAt ?? 0);
      const expiresAt = now + relinksLast;
      const isAsked = asksOwner({ asksOwner: seenAt < now - unseenAfter }, member.roles);
      const row = { organizationId, userId, appId, openedAt: now, expiresAt, asksOwner: isAsked, agreedAt: null };
      await saveRelink(tx, row);
      opened.push(await relinkAnswer(tx, row));
      const details = { asksOwner: isAsked, expiresAt: isoTime(expiresAt) };
      await note(ctx, tx, organization, { action: "provider.relink", userId, details }, acting, now);
      const about = { organization: name, organizationId, provider: new URL(provider.issuer).host };
      const times = { endsAt: expiresAt, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt };
      await tell(ctx, tx, organization, [member], { kind: "organization-relink", ...about, ...times }, now);
    }
    if (acting.dryRun) throw rollBack(opened);
    return opened;
  });
}

/**
 * Another owner, or the server, lets somebody relink who takes it. Throws USER_NOT_FOUND,
 * INSUFFICIENT_SCOPE.
 */
export async function agreeToRelink(
  ctx: Context,
  given: Organization,
  { userId }: { userId: string },
  acting: Acting,
): Promise<RelinkAnswer> {
  const now = ctx.clock();
  return await ctx.storage.write<RelinkAnswer>(async (tx, rollBack) => {
    const { organization } = await lockFor(tx, given, acting, "owner");
    const relink = await findRelink(tx, { organizationId: organization.id, userId }, now);
    if (!relink) throw userNotFound();
    if (acting.member?.userId === userId) throw notAllowed();
    const agreed = { ...relink, agreedAt: relink.agreedAt ?? now };
    await saveRelink(tx, agreed);
    await note(ctx, tx, organization, { action: "provider.relink.agree", userId }, acting, now);
    const answer = await relinkAnswer(tx, agreed);
    if (acting.dryRun) throw rollBack(answer);
    return answer;
  });
}
