import { and, desc, eq, getTableColumns, isNull, lt, sql } from "drizzle-orm";
import type { Handle, Row } from "../../storage/storage.ts";

/** `domains`: all that it claims. `owners`: those who are not disabled. */
export type OrganizationRow = Row<"organizations"> & { domains: string; owners: number };

/** Raw SQL, because drizzle omits table names in subqueries. */
const domains = sql<string>`COALESCE((
  SELECT string_agg(d.domain, ' ') FROM organization_domains d WHERE d.organization_id = organizations.id
), '')`;
const owners = sql`(
  SELECT count(*) FROM organization_member_roles r JOIN users u ON u.id = r.user_id
  WHERE r.app_id = organizations.app_id AND r.role = 'owner' AND r.organization_id = organizations.id
    AND u.disabled_at IS NULL
)`.mapWith(Number);

/** Those that are not deleted, newest first. */
export async function readOrganizations(
  { db, tables: { organizations } }: Handle,
  appId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<OrganizationRow[]> {
  return await db
    .select({ ...getTableColumns(organizations), domains, owners })
    .from(organizations)
    .where(
      and(
        eq(organizations.appId, appId),
        isNull(organizations.deletedAt),
        before === undefined ? undefined : lt(organizations.id, before),
      ),
    )
    .orderBy(desc(organizations.id))
    .limit(limit);
}
