import { and, desc, eq, inArray, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Column } from "../../storage/queries/sort-keys.ts";
import type { Handle } from "../../storage/storage.ts";

/** A thing that has a page, as far as a search reads it. */
export type Thing = { id: string; appId: string; name: string };

type Wanted = { appId: string | undefined; ids?: readonly string[]; limit: number };

/** The newest of each kind, or those with these ids. */
export async function readThings({ db, tables }: Handle, { appId, ids, limit }: Wanted) {
  const { applications, clients, webhookEndpoints: endpoints, groups, apiKeys: keys, organizations } = tables;
  type Table =
    | typeof applications
    | typeof clients
    | typeof endpoints
    | typeof groups
    | typeof keys
    | typeof organizations;
  const newest = async (table: Table, ofApp: Column, name: Column, more?: SQL): Promise<Thing[]> =>
    await db
      .select({ id: table.id, appId: sql<string>`${ofApp}`, name: sql<string>`coalesce(${name}, '')` })
      .from(table)
      .where(and(appId === undefined ? undefined : eq(ofApp, appId), ids && inArray(table.id, [...ids]), more))
      .orderBy(desc(table.id))
      .limit(limit);
  const [application, client, endpoint, group, key, organization] = await Promise.all([
    newest(applications, applications.id, applications.name),
    newest(clients, clients.appId, clients.name),
    newest(endpoints, endpoints.appId, endpoints.url, isNull(endpoints.clientId)),
    newest(groups, groups.appId, groups.name, isNotNull(groups.name)),
    newest(keys, keys.appId, keys.label),
    newest(organizations, organizations.appId, organizations.name, isNull(organizations.deletedAt)),
  ]);
  return { application, client, endpoint, group, key, organization };
}
