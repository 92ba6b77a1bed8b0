import { and, inArray, isNull } from "drizzle-orm";
import type { Handle } from "../../storage/storage.ts";

/** How the things and people with these ids are called now, by id. Deleted ones are missing. */
export async function findNames({ db, tables }: Handle, ids: readonly string[]): Promise<Map<string, string>> {
  const { users, applications, clients, webhookEndpoints: endpoints, groups, apiKeys: keys, organizations } = tables;
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const [people, others, urls, labels] = await Promise.all([
    db.select({ id: users.id, name: users.name, email: users.email }).from(users).where(inArray(users.id, wanted)),
    Promise.all([
      db
        .select({ id: applications.id, name: applications.name })
        .from(applications)
        .where(inArray(applications.id, wanted)),
      db.select({ id: clients.id, name: clients.name }).from(clients).where(inArray(clients.id, wanted)),
      db.select({ id: groups.id, name: groups.name }).from(groups).where(inArray(groups.id, wanted)),
      db
        .select({ id: organizations.id, name: organizations.name })
        .from(organizations)
        .where(and(inArray(organizations.id, wanted), isNull(organizations.deletedAt))),
    ]),
    db.select({ id: endpoints.id, url: endpoints.url }).from(endpoints).where(inArray(endpoints.id, wanted)),
    db.select({ id: keys.id, label: keys.label }).from(keys).where(inArray(keys.id, wanted)),
  ]);
  return new Map([
    ...people.map(({ id, name, email }) => [id, name ?? email ?? ""] as const),
    ...others.flat().map(({ id, name }) => [id, name ?? ""] as const),
    ...urls.map(({ id, url }) => [id, new URL(url).host] as const),
    ...labels.map(({ id, label }) => [id, label ?? ""] as const),
  ]);
}
