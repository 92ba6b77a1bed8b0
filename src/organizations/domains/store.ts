import { and, asc, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { forChange, lockFree, type Handle } from "../../storage/storage.ts";
import type { Claim, Domain } from "./rules.ts";

const ofDomain = ({ tables: { organizationDomains: t } }: Handle, { organizationId, domain }: DomainKey) =>
  and(eq(t.organizationId, organizationId), eq(t.domain, domain));

type DomainKey = Pick<Domain, "organizationId" | "domain">;

/** Sorted by name. */
export async function listDomains(handle: Handle, organizationId: string): Promise<Domain[]> {
  const { organizationDomains: t } = handle.tables;
  return await handle.db.select().from(t).where(eq(t.organizationId, organizationId)).orderBy(asc(t.domain));
}

export async function findDomain(handle: Handle, key: DomainKey): Promise<Domain | undefined> {
  const [row] = await handle.db.select().from(handle.tables.organizationDomains).where(ofDomain(handle, key));
  return row;
}

export async function countDomains(handle: Handle, organizationId: string): Promise<number> {
  const { organizationDomains: t } = handle.tables;
  return await handle.db.$count(t, eq(t.organizationId, organizationId));
}

/** Some whose record is missing, or about which DNS said nothing definite. */
export async function listTroubled(
  { db, tables: { organizationDomains: t } }: Handle,
  limit: number,
): Promise<Domain[]> {
  // As JSON text in both databases.
  const isUnknown = sql`CAST(${t.answer} AS TEXT) LIKE '%"unknown"%'`;
  const rows = await db
    .select()
    .from(t)
    .where(and(isNotNull(t.nextCheckAt), or(eq(t.state, "lapsed"), gt(t.misses, 0), isUnknown)))
    .limit(limit);
  return rows.filter(({ state, misses, answer }) => state === "lapsed" || misses > 0 || answer?.result === "unknown");
}

/** All claims of a domain in an application. They do not change until the transaction ends. */
export async function lockClaims(
  { db, tables: { organizationDomains: t, organizations } }: Handle,
  { appId, domain }: Pick<Domain, "appId" | "domain">,
): Promise<Claim[]> {
  const claims = db
    .select()
    .from(t)
    .where(and(eq(t.appId, appId), eq(t.domain, domain)));
  const rows = await forChange(claims.orderBy(asc(t.organizationId)));
  if (rows.length === 0) return [];
  const ids = rows.map(({ organizationId }) => organizationId);
  const disabled = await db
    .select({ id: organizations.id, disabledAt: organizations.disabledAt })
    .from(organizations)
    .where(inArray(organizations.id, ids));
  const since = new Map(disabled.map(({ id, disabledAt }) => [id, disabledAt]));
  return rows.map((row) => ({ row, disabledAt: since.get(row.organizationId) ?? null }));
}

/** False if the organization claims it already. */
export async function insertDomain(handle: Handle, row: Domain): Promise<boolean> {
  const { organizationDomains: t } = handle.tables;
  return (await handle.db.insert(t).values(row).onConflictDoNothing().returning({ domain: t.domain })).length === 1;
}

export async function updateDomain(handle: Handle, row: Domain): Promise<void> {
  await handle.db.update(handle.tables.organizationDomains).set(row).where(ofDomain(handle, row));
}

export async function deleteDomain(handle: Handle, key: DomainKey): Promise<void> {
  await handle.db.delete(handle.tables.organizationDomains).where(ofDomain(handle, key));
}

export async function hasDueDomain({ db, tables: { organizationDomains: t } }: Handle, now: number): Promise<boolean> {
  return (await db.select({ domain: t.domain }).from(t).where(lte(t.nextCheckAt, now)).limit(1)).length === 1;
}

/** Takes domains that are due for this process: no other one asks about them until `until`. */
export async function takeDueDomains(
  handle: Handle,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<Domain[]> {
  const { organizationDomains: t } = handle.tables;
  const due = handle.db.select(getTableColumns(t)).from(t).where(lte(t.nextCheckAt, now));
  const rows = await lockFree(due.orderBy(asc(t.nextCheckAt)).limit(limit));
  for (const row of rows) await handle.db.update(t).set({ nextCheckAt: until }).where(ofDomain(handle, row));
  return rows;
}

/** The proved domain of an application whose organization is enabled, and its organization. */
export async function findProved(
  { db, tables: { organizationDomains: t, organizations } }: Handle,
  { appId, domain }: Pick<Domain, "appId" | "domain">,
): Promise<(Domain & { name: string; slug: string; maxMembers: number | null }) | undefined> {
  const { name, slug, maxMembers } = organizations;
  const [row] = await db
    .select({ ...getTableColumns(t), name, slug, maxMembers })
    .from(t)
    .innerJoin(organizations, eq(organizations.id, t.organizationId))
    .where(
      and(
        eq(t.appId, appId),
        eq(t.domain, domain),
        eq(t.state, "proved"),
        isNull(t.setupLinkId),
        isNull(organizations.disabledAt),
        isNull(organizations.deletedAt),
      ),
    );
  return row;
}

/** The domains that an organization has proved, in ASCII. */
export async function listProvedDomains(handle: Handle, organizationId: string): Promise<string[]> {
  const all = await listDomains(handle, organizationId);
  return all.filter(({ state, setupLinkId }) => state === "proved" && setupLinkId === null).map(({ domain }) => domain);
}

/** One proved domain of each of these organizations that has any. */
export async function listProvedDomainsOf(
  { db, tables: { organizationDomains: t } }: Handle,
  organizationIds: readonly string[],
): Promise<Map<string, string>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .select({ id: t.organizationId, domain: t.domain })
    .from(t)
    .where(and(inArray(t.organizationId, [...organizationIds]), eq(t.state, "proved"), isNull(t.setupLinkId)))
    .orderBy(desc(t.domain));
  return new Map(rows.map(({ id, domain }) => [id, domain]));
}
