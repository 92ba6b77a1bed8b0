import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";

const prepared = statements(({ db, tables: { organizations, organizationSlugs: slugs } }) => {
  const appId = sql.placeholder("appId");
  return {
    byId: prepare(
      db
        .select({ id: organizations.id })
        .from(organizations)
        .where(and(eq(organizations.appId, appId), eq(organizations.id, sql.placeholder("id")))),
      "organization_id_by_id",
    ),
    enabled: prepare(
      db
        .select({ id: organizations.id })
        .from(organizations)
        .where(
          and(
            eq(organizations.appId, appId),
            eq(organizations.id, sql.placeholder("id")),
            isNull(organizations.disabledAt),
            isNull(organizations.deletedAt),
          ),
        ),
      "enabled_organization",
    ),
    bySlug: prepare(
      db
        .select({ id: slugs.organizationId })
        .from(slugs)
        .where(and(eq(slugs.appId, appId), eq(slugs.slug, sql.placeholder("slug")))),
      "organization_id_by_slug",
    ),
  };
});

const form = /^[\w-]{1,64}$/u;

/** The id of an application's organization by its id or any slug that it ever had, in any state. */
export async function findOrganizationId(
  handle: Handle,
  { appId, named }: { appId: string; named: string },
): Promise<string | undefined> {
  if (!form.test(named)) return undefined;
  const { byId, bySlug } = prepared(handle);
  const [row] = named.startsWith("org_")
    ? await byId.execute({ appId, id: named })
    : await bySlug.execute({ appId, slug: named });
  return row?.id;
}

/** Whether an application has this organization, neither disabled nor deleted. */
export async function isEnabled(
  handle: Handle,
  { appId, organizationId: id }: { appId: string; organizationId: string },
): Promise<boolean> {
  return (await prepared(handle).enabled.execute({ appId, id })).length === 1;
}

/** One proved domain of each organization that has any. */
export async function listProvedDomains(
  { db, tables: { organizationDomains: domains } }: Handle,
  organizationIds: readonly string[],
): Promise<Map<string, string>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .select({ id: domains.organizationId, domain: domains.domain })
    .from(domains)
    .where(and(inArray(domains.organizationId, [...organizationIds]), eq(domains.state, "proved")))
    .orderBy(asc(domains.domain));
  return new Map(rows.toReversed().map(({ id, domain }) => [id, domain]));
}
