import { and, eq } from "drizzle-orm";
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
