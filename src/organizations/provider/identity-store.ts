/** Who people are at organizations' providers. */
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import type { Handle, Row } from "../../storage/storage.ts";

export type OrganizationIdentity = Row<"organizationIdentities">;

/** By its subject; those of another issuer have no effect. */
export async function findIdentity(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, issuer, subject }: Pick<OrganizationIdentity, "organizationId" | "issuer" | "subject">,
): Promise<OrganizationIdentity | undefined> {
  const isIt = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  const [row] = await db
    .select()
    .from(identities)
    .where(and(eq(identities.organizationId, organizationId), isIt));
  return row;
}

/** Of a person, who has at most one at an issuer. */
export async function findIdentityOf(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, issuer, userId }: Pick<OrganizationIdentity, "organizationId" | "issuer" | "userId">,
): Promise<OrganizationIdentity | undefined> {
  const isTheirs = and(eq(identities.issuer, issuer), eq(identities.userId, userId));
  const [row] = await db
    .select()
    .from(identities)
    .where(and(eq(identities.organizationId, organizationId), isTheirs));
  return row;
}

/** False: the subject or the person has one already. */
export async function insertIdentity(
  { db, tables: { organizationIdentities: identities } }: Handle,
  identity: Omit<OrganizationIdentity, "relinkedClientId"> & Partial<OrganizationIdentity>,
): Promise<boolean> {
  const rows = await db
    .insert(identities)
    .values(identity)
    .onConflictDoNothing()
    .returning({ userId: identities.userId });
  return rows.length === 1;
}

/** With the address that the provider named now. */
export async function recordIdentityUse(
  { db, tables: { organizationIdentities: identities } }: Handle,
  {
    organizationId,
    issuer,
    subject,
    email,
  }: Pick<OrganizationIdentity, "organizationId" | "issuer" | "subject" | "email">,
  now: number,
): Promise<void> {
  const isIt = and(eq(identities.issuer, issuer), eq(identities.subject, subject));
  await db
    .update(identities)
    .set({ email, lastUsedAt: now })
    .where(and(eq(identities.organizationId, organizationId), isIt));
}

/** Of some members of an organization, by person. */
export async function listIdentitiesOfMembers(
  { db, tables: { organizationIdentities: identities } }: Handle,
  organizationId: string,
  userIds: string[],
): Promise<Map<string, OrganizationIdentity[]>> {
  const rows = await db
    .select()
    .from(identities)
    .where(and(eq(identities.organizationId, organizationId), inArray(identities.userId, userIds)))
    .orderBy(asc(identities.issuer));
  return Map.groupBy(rows, ({ userId }) => userId);
}

/** Of a person, at all organizations. */
export async function listIdentitiesOf(
  { db, tables: { organizationIdentities: identities } }: Handle,
  userId: string,
): Promise<OrganizationIdentity[]> {
  return await db
    .select()
    .from(identities)
    .where(eq(identities.userId, userId))
    .orderBy(asc(identities.organizationId), asc(identities.issuer));
}

/** The one at an issuer, which another takes the place of. */
export async function deleteIdentityOf(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, userId, issuer }: Pick<OrganizationIdentity, "organizationId" | "userId" | "issuer">,
): Promise<void> {
  const isTheirs = and(eq(identities.organizationId, organizationId), eq(identities.userId, userId));
  await db.delete(identities).where(and(isTheirs, eq(identities.issuer, issuer)));
}

/** At which hosts companies name a person; with `since`, of those linked after it. */
export async function companyHostsOf(handle: Handle, userId: string, since = 0): Promise<string[]> {
  const linked = (await listIdentitiesOf(handle, userId)).filter(({ createdAt }) => createdAt > since);
  return [...new Set(linked.map(({ issuer }) => new URL(issuer).host))];
}

/** At all organizations; with `since`, those linked after it. */
export async function deleteCompanyIdentities(
  { db, tables: { organizationIdentities: identities } }: Handle,
  userId: string,
  since = 0,
): Promise<void> {
  await db.delete(identities).where(and(eq(identities.userId, userId), gt(identities.createdAt, since)));
}
