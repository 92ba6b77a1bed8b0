import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, notExists, sql } from "drizzle-orm";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { forChange, forShare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { Organization } from "./organization.ts";

const prepared = statements((handle) => {
  const { organizationChanges: table } = handle.tables;
  const sweep = { table, key: table.id, instant: table.at };
  return { sweepChanges: prepareSweep(handle, sweep, "sweep_organization_changes") };
});

/** Also of a deleted one. */
export async function findOrganization(
  { db, tables: { organizations } }: Handle,
  id: string,
): Promise<Organization | undefined> {
  const [row] = await db.select().from(organizations).where(eq(organizations.id, id));
  return row;
}

/** Locks it until the transaction ends: everything that is counted or has a last one. */
export async function lockOrganization(
  { db, tables: { organizations } }: Handle,
  id: string,
): Promise<Organization | undefined> {
  const [row] = await forChange(db.select().from(organizations).where(eq(organizations.id, id)));
  return row;
}

/** By its id, or a slug that it has or had, disabled or not; undefined if there is none. */
export async function findNamed(
  { db, tables: { organizations, organizationSlugs: slugs } }: Handle,
  appId: string,
  idOrSlug: string,
): Promise<Organization | undefined> {
  if (!/^[\w-]{1,64}$/u.test(idOrSlug)) return undefined;
  const ofSlug = db
    .select({ id: slugs.organizationId })
    .from(slugs)
    .where(and(eq(slugs.appId, appId), eq(slugs.slug, idOrSlug)));
  // No slug has an underscore.
  const isNamed = idOrSlug.includes("_") ? eq(organizations.id, idOrSlug) : inArray(organizations.id, ofSlug);
  const [row] = await db
    .select()
    .from(organizations)
    .where(and(isNamed, eq(organizations.appId, appId), isNull(organizations.deletedAt)));
  return row;
}

/** A page of those of an application that are not deleted, ordered by id. */
export async function listOrganizations(
  { db, tables: { organizations } }: Handle,
  appId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Organization[]> {
  return await db
    .select()
    .from(organizations)
    .where(and(eq(organizations.appId, appId), gt(organizations.id, after), isNull(organizations.deletedAt)))
    .orderBy(asc(organizations.id))
    .limit(limit);
}

export async function insertOrganization(
  { db, tables: { organizations } }: Handle,
  organization: Organization,
): Promise<void> {
  await db.insert(organizations).values(organization);
}

export async function changeOrganization(
  { db, tables: { organizations } }: Handle,
  id: string,
  change: Partial<Organization>,
): Promise<void> {
  await db.update(organizations).set(change).where(eq(organizations.id, id));
}

/**
 * Whether an application has so many organizations; those that a person made, and nobody joined,
 * count a tenth. Rows are read only if the index, which has deleted ones too, is that long.
 */
export async function hasAsMany(
  { db, tables: { organizations } }: Handle,
  appId: string,
  limit: number,
): Promise<boolean> {
  const ofApp = eq(organizations.appId, appId);
  const last = db.select({ id: organizations.id }).from(organizations).where(ofApp).orderBy(asc(organizations.id));
  if ((await last.limit(1).offset(limit - 1)).length === 0) return false;
  const tenths = sql<number>`sum(CASE WHEN creator_id IS NOT NULL AND shared_at IS NULL THEN 1 ELSE 10 END)`;
  const [row] = await db
    .select({ tenths: tenths.mapWith(Number) })
    .from(organizations)
    .where(and(ofApp, isNull(organizations.deletedAt)));
  return (row?.tenths ?? 0) >= limit * 10;
}

export async function countCreatedBy({ db, tables: { organizations } }: Handle, creatorId: string): Promise<number> {
  return await db.$count(organizations, and(eq(organizations.creatorId, creatorId), isNull(organizations.deletedAt)));
}

/** False if the application has or had an organization with this slug. */
export async function insertSlug(
  { db, tables: { organizationSlugs: slugs } }: Handle,
  slug: Row<"organizationSlugs">,
): Promise<boolean> {
  return (await db.insert(slugs).values(slug).onConflictDoNothing().returning({ slug: slugs.slug })).length === 1;
}

/** Whether an organization has or had this slug, or a deleted one. */
export async function hasSlug(
  { db, tables: { organizationSlugs: slugs } }: Handle,
  appId: string,
  slug: string,
): Promise<boolean> {
  const query = db.select({ slug: slugs.slug }).from(slugs);
  return (await query.where(and(eq(slugs.appId, appId), eq(slugs.slug, slug)))).length === 1;
}

/** All slugs that it has or had. */
export async function listSlugs(
  { db, tables: { organizationSlugs: slugs } }: Handle,
  organizationId: string,
): Promise<string[]> {
  const rows = await db.select({ slug: slugs.slug }).from(slugs).where(eq(slugs.organizationId, organizationId));
  return rows.map(({ slug }) => slug);
}

/** The roles that an application added, which stay until the transaction ends. */
export async function lockAddedRoles({ db, tables: { applications } }: Handle, appId: string): Promise<string[]> {
  const query = db.select({ settings: applications.settings }).from(applications).where(eq(applications.id, appId));
  const [row] = await forShare(query);
  return row?.settings.organizationRoles ?? [];
}

export async function insertBlock(
  { db, tables: { organizationBlocks: blocks } }: Handle,
  block: Row<"organizationBlocks">,
): Promise<void> {
  const { addressDigest, createdAt } = block;
  await db
    .insert(blocks)
    .values(block)
    .onConflictDoUpdate({ target: [blocks.organizationId, blocks.userId], set: { addressDigest, createdAt } });
}

/** Of this person, or of somebody who had this address. */
function blocking(
  { organizationBlocks: blocks }: Handle["tables"],
  { organizationId, userId, addressDigest }: Omit<Row<"organizationBlocks">, "appId" | "createdAt">,
) {
  const isOfAddress = addressDigest === null ? sql`false` : eq(blocks.addressDigest, addressDigest);
  return and(eq(blocks.organizationId, organizationId), sql`(${eq(blocks.userId, userId)} OR ${isOfAddress})`);
}

export async function isBlocked({ db, tables }: Handle, whose: Parameters<typeof blocking>[1]): Promise<boolean> {
  const { organizationBlocks: blocks } = tables;
  return (await db.select({ id: blocks.userId }).from(blocks).where(blocking(tables, whose)).limit(1)).length === 1;
}

export async function deleteBlocks({ db, tables }: Handle, whose: Parameters<typeof blocking>[1]): Promise<void> {
  await db.delete(tables.organizationBlocks).where(blocking(tables, whose));
}

/** Tells every node that the organization changed as a whole. */
export async function insertChange(
  { db, tables: { organizationChanges: changes } }: Handle,
  organizationId: string,
  now: number,
): Promise<void> {
  await db.insert(changes).values({ organizationId, at: now });
}

export async function sweepChanges(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweepChanges(before);
}

/**
 * One whose deletion is due or has begun, or that was made before `unownedSince`, never had an
 * owner, and invites nobody to own it. With `id`: that one, if it is so.
 */
export async function findToDelete(
  { db, tables: { organizations, organizationInvitations: invitations } }: Handle,
  now: number,
  unownedSince: number,
  id?: string,
): Promise<Organization | undefined> {
  const open = db
    .select({ id: invitations.id })
    .from(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizations.id),
        isNull(invitations.endedAt),
        gt(invitations.expiresAt, now),
        // As JSON text in both databases.
        sql`CAST(${invitations.roles} AS TEXT) LIKE '%"owner"%'`,
      ),
    );
  const isDue = and(isNotNull(organizations.deletesAt), lte(organizations.deletesAt, now));
  const isUnowned = and(
    isNull(organizations.ownedAt),
    isNull(organizations.deletedAt),
    lt(organizations.createdAt, unownedSince),
    notExists(open),
  );
  for (const condition of [isDue, isUnowned]) {
    const wanted = and(condition, id === undefined ? undefined : eq(organizations.id, id));
    const [row] = await db.select().from(organizations).where(wanted).limit(1);
    if (row) return row;
  }
  return undefined;
}

/** Removes the domains, blocks and invitations of a deleted one. */
export async function deleteParts({ db, tables }: Handle, organizationId: string): Promise<void> {
  const { organizationDomains, organizationBlocks, organizationInvitations } = tables;
  const { organizationProviders, organizationIdentities, organizationRelinks } = tables;
  const { organizationVisits, organizationSetupLinks, organizationFactorFailures } = tables;
  const parts = [organizationDomains, organizationBlocks, organizationInvitations, organizationProviders];
  const ofProvider = [organizationIdentities, organizationRelinks, organizationVisits, organizationFactorFailures];
  for (const table of [...parts, ...ofProvider, organizationSetupLinks])
    await db.delete(table).where(eq(table.organizationId, organizationId));
}

/** The machines of an organization. */
export async function listMachines({ db, tables: { clients } }: Handle, organizationId: string): Promise<string[]> {
  const rows = await db.select({ id: clients.id }).from(clients).where(eq(clients.organizationId, organizationId));
  return rows.map(({ id }) => id);
}
