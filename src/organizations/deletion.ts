/** Deletes organizations, which may have 10,000 members, and what else time ends. */
import * as clients from "../applications/clients/service.ts";
import { day, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import { countClaimsChange } from "../users/claim-sources-store.ts";
import { lockUsers } from "../users/store.ts";
import { note, organizationChanged, tokensEnd } from "./announcements.ts";
import { endInvitations, sweepInvitations } from "./invitation-store.ts";
import * as domains from "./domains/service.ts";
import * as members from "./members.ts";
import { deleteSomeMembers, findMember, listRecentOwners, listSomeMemberIds } from "./membership-store.ts";
import { tell } from "./notices.ts";
import { notAllowed, type Acting, type Organization } from "./organization.ts";
import { deleteProvider } from "./provider/provider-store.ts";
import { sweepRelinks } from "./provider/relink-store.ts";
import {
  changeOrganization,
  deleteParts,
  findOrganization,
  findToDelete,
  listMachines,
  lockOrganization,
  sweepChanges,
} from "./store.ts";

/** How many members one transaction removes: other writes wait for it. */
const batchSize = 200;
/** For owners to undo a deletion, and for an organization to get its first owner. */
const waits = 7 * day;
/** After one owner removed or demoted another: so that the other can object. */
const restsAfterRemoval = 7 * day;
/** So long after somebody stopped being an owner. */
const ownersAreTold = 30 * day;
/** A link of an invitation may be opened long after its end, and a no is remembered. */
const invitationsAreKept = 30 * day;
const changesAreKept = day;

const itself: Actor = { kind: "service", name: "organizations" };

/**
 * Deletes an organization: at once for the server and operators; an owner disables it, and it is
 * deleted after 7 days. Throws ORGANIZATION_NOT_FOUND, INSUFFICIENT_SCOPE, CONFLICT.
 */
export async function remove(ctx: Context, given: Organization, acting: Acting): Promise<void> {
  const now = ctx.clock();
  const isAtOnce = await ctx.storage.write<boolean>(async (tx, rollBack) => {
    const { organization, rank } = await members.lockFor(tx, given, acting, "owner");
    const { ownerRemovedAt } = organization;
    if (rank === "owner" && ownerRemovedAt !== null && ownerRemovedAt > now - restsAfterRemoval)
      throw new AppError("CONFLICT", "An owner was removed in the last 7 days, so it cannot be deleted yet.");
    if (acting.dryRun) throw rollBack(false);
    if (rank === "server") await begin(ctx, tx, organization, acting, now);
    else {
      const change = { disabledAt: organization.disabledAt ?? now, deletesAt: now + waits };
      await changeOrganization(tx, organization.id, { ...change, updatedAt: now });
      await organizationChanged(tx, organization, now);
      await tokensEnd(ctx, tx, organization);
      const details = { deletesAt: isoTime(change.deletesAt) };
      await note(ctx, tx, organization, { action: "disable", event: "organization.updated", details }, acting, now);
      const { id, name } = organization;
      const about = { organization: name, organizationId: id, expiresAt: change.deletesAt };
      const notice = { kind: "organization-deleted", ...about } as const;
      await tell(ctx, tx, organization, await listRecentOwners(tx, id, now - ownersAreTold), notice, now);
    }
    return rank === "server";
  });
  if (isAtOnce) while (await continueDeletion(ctx, given.id));
}

/**
 * Undoes an owner's deletion until it begins. For its owners, who are not live then, and for
 * server and operators by enabling it. Throws ORGANIZATION_NOT_FOUND, INSUFFICIENT_SCOPE.
 */
export async function restore(ctx: Context, given: Organization, acting: Acting): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const organization = await members.lockExisting(tx, given);
    const { id: organizationId, deletesAt } = organization;
    const member = acting.member && (await findMember(tx, { organizationId, userId: acting.member.userId }));
    if (!member?.roles.includes("owner") || member.disabledAt !== null) throw notAllowed();
    if (deletesAt === null) return;
    await changeOrganization(tx, organizationId, { disabledAt: null, deletesAt: null, updatedAt: now });
    await organizationChanged(tx, organization, now);
    await note(ctx, tx, organization, { action: "enable", event: "organization.updated" }, acting, now);
  });
}

/** From now on, nobody finds it, and no token names it. */
async function begin(ctx: Context, tx: Handle, organization: Organization, acting: Acting, now: number): Promise<void> {
  const { id: organizationId } = organization;
  const change = { disabledAt: organization.disabledAt ?? now, deletesAt: now, deletedAt: now, updatedAt: now };
  await changeOrganization(tx, organizationId, change);
  await endInvitations(tx, { organizationId }, "ended", now);
  await domains.removeAll(ctx, tx, organization, now);
  await deleteProvider(tx, organizationId);
  await organizationChanged(tx, organization, now);
  await tokensEnd(ctx, tx, organization);
  await note(ctx, tx, organization, { action: "delete", event: "organization.deleted" }, acting, now);
}

/**
 * Does the next step of a deletion that has begun, which nothing undoes: machines, then members in
 * batches, then the rest. True if more is left; if the process dies, a sweep does it.
 */
async function continueDeletion(ctx: Context, id: string): Promise<boolean> {
  const now = ctx.clock();
  const { reader } = ctx.storage;
  const deletedAt = (await findOrganization(reader, id))?.deletedAt ?? null;
  if (deletedAt === null) return false;
  const [machine] = await listMachines(reader, id);
  if (machine !== undefined) {
    try {
      await clients.remove(ctx, machine, { actor: itself });
    } catch (error) {
      // Another process continues the same deletion, and was faster.
      if (!(error instanceof AppError && error.code === "CLIENT_NOT_FOUND")) throw error;
    }
    return true;
  }
  return await ctx.storage.write(async (tx) => {
    const userIds = await listSomeMemberIds(tx, id, batchSize);
    if (userIds.length > 0) {
      await lockUsers(tx, userIds);
      await deleteSomeMembers(tx, id, userIds);
      await countClaimsChange(tx, userIds);
      return true;
    }
    await deleteParts(tx, id);
    // The row stays, with nothing of what the organization was.
    const nothing = { name: "", publicMetadata: null, creatorId: null, secondFactor: null, deletesAt: null };
    await changeOrganization(tx, id, { ...nothing, updatedAt: now });
    return false;
  });
}

/** Deletes what is due; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const due = await findToDelete(ctx.storage.reader, now, now - waits);
  if (due) {
    if (due.deletedAt === null) await ctx.storage.write(async (tx) => await beginIfDue(ctx, tx, due.id, now));
    await continueDeletion(ctx, due.id);
    return true;
  }
  return await ctx.storage.write(async (tx) => {
    const invitationsAreLeft = await sweepInvitations(tx, now - invitationsAreKept);
    await sweepRelinks(tx, now);
    return (await sweepChanges(tx, now - changesAreKept)) || invitationsAreLeft;
  });
}

/** Asks again under the lock: somebody may have undone it, become its owner, or begun it. */
async function beginIfDue(ctx: Context, tx: Handle, id: string, now: number): Promise<void> {
  await lockOrganization(tx, id);
  const due = await findToDelete(tx, now, now - waits, id);
  if (due?.deletedAt === null) await begin(ctx, tx, due, { actor: itself }, now);
}
