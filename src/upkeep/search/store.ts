import { and, desc, eq, inArray, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Handle } from "../../storage/storage.ts";

/** A thing that has a page, as far as a search reads it. */
export type Thing = { id: string; appId: string; name: string };

type Wanted = { appId: string | undefined; ids?: readonly string[]; limit: number };

/** The newest of each kind, or those with these ids. */
export async function readThings({ db, tables }: Handle, { appId, ids, limit }: Wanted) {
  const { applications, clients, webhookEndpoints: endpoints, groups, apiKeys: keys } = tables;
  type Owned = typeof clients | typeof endpoints | typeof groups | typeof keys;
  const isWanted = (table: Owned, more?: SQL): SQL | undefined =>
    and(appId === undefined ? undefined : eq(table.appId, appId), ids && inArray(table.id, [...ids]), more);
  const isApp = and(
    appId === undefined ? undefined : eq(applications.id, appId),
    ids && inArray(applications.id, [...ids]),
  );
  const [apps, theClients, theEndpoints, theGroups, theKeys] = await Promise.all([
    db
      .select({ id: applications.id, appId: applications.id, name: applications.name })
      .from(applications)
      .where(isApp)
      .orderBy(desc(applications.id))
      .limit(limit),
    db
      .select({ id: clients.id, appId: clients.appId, name: clients.name })
      .from(clients)
      .where(isWanted(clients))
      .orderBy(desc(clients.id))
      .limit(limit),
    db
      .select({ id: endpoints.id, appId: endpoints.appId, name: endpoints.url })
      .from(endpoints)
      .where(isWanted(endpoints, isNull(endpoints.clientId)))
      .orderBy(desc(endpoints.id))
      .limit(limit),
    db
      .select({ id: groups.id, appId: groups.appId, name: groups.name })
      .from(groups)
      .where(isWanted(groups, isNotNull(groups.name)))
      .orderBy(desc(groups.id))
      .limit(limit),
    db
      .select({ id: keys.id, appId: keys.appId, name: keys.label })
      .from(keys)
      .where(isWanted(keys))
      .orderBy(desc(keys.id))
      .limit(limit),
  ]);
  const named = <Row extends { name: string | null }>(rows: Row[]) =>
    rows.map(({ name, ...row }) => ({ ...row, name: name ?? "" }));
  return {
    application: apps,
    client: theClients,
    endpoint: theEndpoints,
    group: named(theGroups),
    key: named(theKeys),
  } satisfies Record<string, Thing[]>;
}
