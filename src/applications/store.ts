import { and, asc, countDistinct, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { forgetAddressesInAudit } from "../records/audit/store.ts";
import { sharedInTurn } from "../storage/queries/gathered.ts";
import { beginsWith, prepare, statements, type Handle } from "../storage/storage.ts";
import type { Application, IdOwner } from "./application.ts";

type LiveKey = { keyDigest: string; now: number };

const prepared = statements(({ db, tables: { applications, apiKeys } }) => {
  const byKey = prepare(
    db
      .select()
      .from(applications)
      .where(
        eq(
          applications.id,
          db
            .select({ appId: apiKeys.appId })
            .from(apiKeys)
            .where(
              and(
                eq(apiKeys.keyDigest, sql.placeholder("keyDigest")),
                isNull(apiKeys.revokedAt),
                or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql.placeholder("now"))),
              ),
            ),
        ),
      ),
    "application_by_key",
  );
  return {
    byKey: sharedInTurn(
      ({ keyDigest }: LiveKey) => keyDigest,
      async (key) => (await byKey.execute(key))[0],
    ),
    byId: prepare(
      db
        .select()
        .from(applications)
        .where(eq(applications.id, sql.placeholder("id"))),
      "application_by_id",
    ),
  };
});

export async function findApplication(handle: Handle, id: string): Promise<Application | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/**
 * The application of a live API key, by the key's digest. Answered at the end of this turn, so
 * outside of transactions.
 */
export async function findApplicationByKey(
  handle: Handle,
  keyDigest: string,
  now: number,
): Promise<Application | undefined> {
  return await prepared(handle).byKey({ keyDigest, now });
}

/**
 * Locks the application until the transaction ends, and returns its latest committed state: the
 * first statement of every read and change.
 */
export async function lockApplication(
  { db, tables: { applications } }: Handle,
  id: string,
  now: number,
): Promise<Application | undefined> {
  const [row] = await db.update(applications).set({ updatedAt: now }).where(eq(applications.id, id)).returning();
  return row;
}

/** At most four: enough to find the only one besides the console's and an unusable one. */
export async function listFourApplications({ db, tables: { applications } }: Handle): Promise<Application[]> {
  return await db.select().from(applications).limit(4);
}

export async function listApplications({ db, tables: { applications } }: Handle): Promise<Application[]> {
  return await db.select().from(applications).orderBy(asc(applications.createdAt), asc(applications.id));
}

/** Applications whose id begins with a prefix, for shell completion. */
export async function findApplicationsBeginning(
  { db, tables: { applications } }: Handle,
  prefix: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return await db
    .select({ id: applications.id, name: applications.name })
    .from(applications)
    .where(beginsWith(applications.id, prefix))
    .orderBy(asc(applications.id))
    .limit(limit);
}

/** The redirect URIs of each application and of each client. */
export async function listRedirectUris({ db, tables: { applications, clients } }: Handle): Promise<string[][]> {
  const own = await db.select({ redirectUris: applications.redirectUris }).from(applications);
  const ofClients = await db.select({ redirectUris: clients.redirectUris }).from(clients);
  return [...own, ...ofClients].map(({ redirectUris }) => redirectUris);
}

/** False if the id is taken. */
export async function insertApplication({ db, tables }: Handle, application: Application): Promise<boolean> {
  const inserted = await db
    .insert(tables.applications)
    .values(application)
    .onConflictDoNothing()
    .returning({ id: tables.applications.id });
  return inserted.length === 1;
}

/** Writes an application that this transaction has locked and changed. */
export async function saveApplication(
  { db, tables: { applications } }: Handle,
  { id, ...changed }: Application,
): Promise<void> {
  await db.update(applications).set(changed).where(eq(applications.id, id));
}

/**
 * Deletes an application with all its rows, and records its id and those of its clients. False if
 * there was none.
 */
export async function deleteApplication(tx: Handle, id: string, now: number): Promise<boolean> {
  const { db, tables } = tx;
  const { applications, clients, revocations } = tables;
  const ownClients = await db.select({ id: clients.id }).from(clients).where(eq(clients.appId, id));
  for (const client of ownClients) await retireId(tx, client.id, now);
  const deleted = await db.delete(applications).where(eq(applications.id, id)).returning({ id: applications.id });
  if (deleted.length === 0) return false;
  await db.delete(revocations).where(eq(revocations.appId, id));
  await retireId(tx, id, now);
  return true;
}

/** Records that an id belonged to an application or a client that is deleted now. */
export async function retireId(
  { db, tables: { deletedApplications } }: Handle,
  id: string,
  now: number,
): Promise<void> {
  // The demo application may be deleted more than once.
  await db.insert(deletedApplications).values({ id, deletedAt: now }).onConflictDoNothing();
}

/** Makes other transactions that lock or delete this id wait until this one ends. */
export async function lockId({ db, tables: { deletedApplications } }: Handle, id: string, now: number): Promise<void> {
  const inserted = await db
    .insert(deletedApplications)
    .values({ id, deletedAt: now })
    .onConflictDoNothing()
    .returning({ id: deletedApplications.id });
  if (inserted.length === 1) await db.delete(deletedApplications).where(eq(deletedApplications.id, id));
}

export async function findIdOwner(
  { db, tables: { applications, clients, deletedApplications } }: Handle,
  id: string,
): Promise<IdOwner | undefined> {
  const ofApplication = await db.select({ id: applications.id }).from(applications).where(eq(applications.id, id));
  if (ofApplication.length > 0) return "application";
  const ofClient = await db.select({ id: clients.id }).from(clients).where(eq(clients.id, id));
  if (ofClient.length > 0) return "client";
  const deleted = await db.select().from(deletedApplications).where(eq(deletedApplications.id, id));
  return deleted.length > 0 ? "deleted" : undefined;
}

/** Deletes a batch of an application's users, then of its organizations; true if more are left. */
export async function deleteSomeParts(tx: Handle, appId: string): Promise<boolean> {
  const { db, tables } = tx;
  const most = 500;
  for (const table of [tables.users, tables.organizations]) {
    const some = db.select({ id: table.id }).from(table).where(eq(table.appId, appId)).limit(most);
    const deleted = await db.delete(table).where(inArray(table.id, some)).returning({ id: table.id });
    const ids = deleted.map(({ id }) => id);
    if (table === tables.users) await forgetAddressesInAudit(tx, ids);
    if (ids.length === most) return true;
  }
  return false;
}

/** The providers for which an application has a client. */
export async function listProviderNames({ db, tables: { oauthProviders } }: Handle, appId: string): Promise<string[]> {
  const rows = await db
    .select({ name: oauthProviders.name })
    .from(oauthProviders)
    .where(eq(oauthProviders.appId, appId));
  return rows.map(({ name }) => name);
}

/** Whether a member or an open invitation of any organization of the application has the role. */
export async function isRoleInUse({ db, tables }: Handle, appId: string, role: string, now: number): Promise<boolean> {
  const { organizationMemberRoles: roles, organizationInvitations: invitations } = tables;
  const held = and(eq(roles.appId, appId), eq(roles.role, role));
  if ((await db.select({ role: roles.role }).from(roles).where(held).limit(1)).length > 0) return true;
  // As JSON text in both databases: names of roles have no characters that JSON escapes.
  const pattern = `%"${role.replaceAll("_", String.raw`\_`)}"%`;
  const gives = sql`CAST(${invitations.roles} AS TEXT) LIKE ${pattern} ESCAPE '\\'`;
  const invited = and(eq(invitations.appId, appId), isNull(invitations.endedAt), gt(invitations.expiresAt, now), gives);
  return (await db.select({ id: invitations.id }).from(invitations).where(invited).limit(1)).length > 0;
}

/** Those whose passkeys have related origins. */
export async function listWithRelatedOrigins({ db, tables: { applications } }: Handle): Promise<Application[]> {
  // The setting is left out while there are none.
  const have = sql`CAST(${applications.settings} AS text) LIKE '%"relatedOrigins"%'`;
  return await db.select().from(applications).where(have).orderBy(asc(applications.id));
}

/** How many organizations of an application have a provider of their own, or one that waits. */
export async function countOrganizationProviders(
  { db, tables: { organizationProviders: providers } }: Handle,
  appId: string,
): Promise<number> {
  const value = countDistinct(providers.organizationId);
  const [row] = await db.select({ value }).from(providers).where(eq(providers.appId, appId));
  return row?.value ?? 0;
}

/** Whether the organizations of some application are on. */
export async function areOrganizationsOn({ db, tables: { applications } }: Handle): Promise<boolean> {
  // The setting is left out while it is off.
  const isOn = sql`CAST(${applications.settings} AS text) LIKE '%"organizations"%'`;
  return (await db.select({ id: applications.id }).from(applications).where(isOn).limit(1)).length === 1;
}
