import { and, asc, count, eq, gt, gte, inArray, isNull, or, sql } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import type { InvitationEnd } from "../storage/column-types.ts";
import { statements, type Handle, type Row } from "../storage/storage.ts";

export type Invitation = Row<"organizationInvitations">;

const prepared = statements((handle) => {
  const { organizationInvitations: table } = handle.tables;
  const sweep = { table, key: table.id, instant: table.expiresAt };
  return { sweep: prepareSweep(handle, sweep, "sweep_organization_invitations") };
});

/** Whether an invitation can still be accepted. */
function open({ organizationInvitations: invitations }: Handle["tables"], now: number) {
  return and(isNull(invitations.endedAt), gt(invitations.expiresAt, now));
}

/** By its id, or the digest of its link; also one that ended. */
export async function findInvitation(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  key: { id: string } | { digest: string },
): Promise<Invitation | undefined> {
  const isWanted = "id" in key ? eq(invitations.id, key.id) : eq(invitations.digest, key.digest);
  const [row] = await db.select().from(invitations).where(isWanted);
  return row;
}

/** A page of an organization's open invitations, ordered by id. */
export async function listOpen(
  { db, tables }: Handle,
  organizationId: string,
  { after, limit }: { after: string; limit: number },
  now: number,
): Promise<Invitation[]> {
  const { organizationInvitations: invitations } = tables;
  return await db
    .select()
    .from(invitations)
    .where(and(eq(invitations.organizationId, organizationId), open(tables, now), gt(invitations.id, after)))
    .orderBy(asc(invitations.id))
    .limit(limit);
}

/** The invitation that occupies the address, which may have expired. */
export async function findNotEnded(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  organizationId: string,
  email: string,
): Promise<Invitation | undefined> {
  const [row] = await db
    .select()
    .from(invitations)
    .where(
      and(eq(invitations.organizationId, organizationId), eq(invitations.email, email), isNull(invitations.endedAt)),
    );
  return row;
}

/** Whether somebody refused to join after `since`. */
export async function hasRefused(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  { organizationId, email, since }: { organizationId: string; email: string; since: number },
): Promise<boolean> {
  const refused = and(
    eq(invitations.organizationId, organizationId),
    eq(invitations.email, email),
    eq(invitations.end, "refused"),
    gte(invitations.endedAt, since),
  );
  return (await db.select({ id: invitations.id }).from(invitations).where(refused).limit(1)).length === 1;
}

/** How many are open, and how many were made after `since`. */
export async function countOfOrganization(
  { db, tables }: Handle,
  organizationId: string,
  since: number,
  now: number,
): Promise<{ open: number; made: number }> {
  const { organizationInvitations: invitations } = tables;
  const [row] = await db
    .select({
      open: sql<number>`count(CASE WHEN ${open(tables, now)} THEN 1 END)`.mapWith(Number),
      made: sql<number>`count(CASE WHEN ${gte(invitations.createdAt, since)} THEN 1 END)`.mapWith(Number),
    })
    .from(invitations)
    .where(
      and(eq(invitations.organizationId, organizationId), or(gte(invitations.createdAt, since), open(tables, now))),
    );
  return row ?? { open: 0, made: 0 };
}

/** How many were made after `since` for those organizations that the server has not approved. */
export async function countOfUnapproved(
  { db, tables: { organizationInvitations: invitations, organizations } }: Handle,
  appId: string,
  since: number,
): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, invitations.organizationId))
    .where(
      and(
        eq(invitations.appId, appId),
        gte(invitations.createdAt, since),
        isNull(organizations.approvedAt),
        sql`${organizations.creatorId} IS NOT NULL`,
      ),
    );
  return row?.value ?? 0;
}

export async function insertInvitation(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  invitation: Invitation,
): Promise<void> {
  await db.insert(invitations).values(invitation);
}

/** Which open invitations end: of one id, one inviter, or one address. */
type Ending = { organizationId: string; id?: string; inviterId?: string; email?: string };

/** Ends open invitations of an organization, and returns them. */
export async function endInvitations(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  { organizationId, id, inviterId, email }: Ending,
  end: InvitationEnd,
  now: number,
): Promise<Invitation[]> {
  return await db
    .update(invitations)
    .set({ endedAt: now, end })
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        isNull(invitations.endedAt),
        id === undefined ? undefined : eq(invitations.id, id),
        inviterId === undefined ? undefined : eq(invitations.inviterId, inviterId),
        email === undefined ? undefined : eq(invitations.email, email),
      ),
    )
    .returning();
}

/** The open invitations for an address into enabled organizations, the oldest first. */
export async function listForAddress(
  { db, tables }: Handle,
  { appId, email }: { appId: string; email: string },
  now: number,
): Promise<{ invitation: Invitation; organization: Row<"organizations"> }[]> {
  const { organizationInvitations: invitation, organizations: organization } = tables;
  return await db
    .select({ invitation, organization })
    .from(invitation)
    .innerJoin(organization, eq(organization.id, invitation.organizationId))
    .where(
      and(
        eq(invitation.appId, appId),
        eq(invitation.email, email),
        open(tables, now),
        isNull(organization.disabledAt),
        isNull(organization.deletedAt),
      ),
    )
    .orderBy(asc(invitation.id))
    .limit(100);
}

export async function recordOfferedAt(
  { db, tables: { organizationInvitations: invitations } }: Handle,
  ids: string[],
  now: number,
): Promise<void> {
  await db.update(invitations).set({ offeredAt: now }).where(inArray(invitations.id, ids));
}

/** Removes a batch of those that expired before then; true if more may be left. */
export async function sweepInvitations(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}
