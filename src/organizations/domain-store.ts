import { and, desc, eq, inArray } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** Whether the organization has proved a domain. */
export async function hasProvedDomain(handle: Handle, organizationId: string): Promise<boolean> {
  return (await listProvedDomains(handle, organizationId)).length > 0;
}

/** The domains that an organization has proved, in ASCII. */
export async function listProvedDomains(
  { db, tables: { organizationDomains: domains } }: Handle,
  organizationId: string,
): Promise<string[]> {
  const rows = await db
    .select({ domain: domains.domain })
    .from(domains)
    .where(and(eq(domains.organizationId, organizationId), eq(domains.state, "proved")));
  return rows.map(({ domain }) => domain);
}

/** One proved domain of each of these organizations that has any. */
export async function listProvedDomainsOf(
  { db, tables: { organizationDomains: domains } }: Handle,
  organizationIds: readonly string[],
): Promise<Map<string, string>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .select({ id: domains.organizationId, domain: domains.domain })
    .from(domains)
    .where(and(inArray(domains.organizationId, [...organizationIds]), eq(domains.state, "proved")))
    .orderBy(desc(domains.domain));
  return new Map(rows.map(({ id, domain }) => [id, domain]));
}
