import { and, asc, count, eq, gt, isNull, or, sql, sum } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { Application, AuthMethods } from "./application.ts";

const prepared = statements(({ db, tables: { applications, apiKeys } }) => ({
  byId: prepare(
    db
      .select()
      .from(applications)
      .where(eq(applications.id, sql.placeholder("id"))),
    "application_by_id",
  ),
  byKey: prepare(
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
  ),
}));

export async function findApplication(handle: Handle, id: string): Promise<Application | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/** The application of a live API key, by the key's digest. */
export async function findApplicationByKey(
  handle: Handle,
  keyDigest: string,
  now: number,
): Promise<Application | undefined> {
  const [row] = await prepared(handle).byKey.execute({ keyDigest, now });
  return row;
}

/** The application as it was committed last, locked until the transaction ends: the first statement of every read-and-change. */
export async function takeApplication(
  { db, tables: { applications } }: Handle,
  id: string,
  now: number,
): Promise<Application | undefined> {
  const [row] = await db.update(applications).set({ updatedAt: now }).where(eq(applications.id, id)).returning();
  return row;
}

export async function listApplications({ db, tables: { applications } }: Handle): Promise<Application[]> {
  return await db.select().from(applications).orderBy(asc(applications.createdAt), asc(applications.id));
}

/** The redirect URIs of each application. */
export async function listRedirectUris({ db, tables: { applications } }: Handle): Promise<string[][]> {
  const rows = await db.select({ redirectUris: applications.redirectUris }).from(applications);
  return rows.map(({ redirectUris }) => redirectUris);
}

/** False when the id is taken. */
export async function insertApplication({ db, tables }: Handle, application: Application): Promise<boolean> {
  const inserted = await db
    .insert(tables.applications)
    .values(application)
    .onConflictDoNothing()
    .returning({ id: tables.applications.id });
  return inserted.length === 1;
}

export async function setAuthMethods(
  { db, tables: { applications } }: Handle,
  id: string,
  authMethods: AuthMethods,
  now: number,
): Promise<void> {
  await db.update(applications).set({ authMethods, updatedAt: now }).where(eq(applications.id, id));
}

export async function setRedirectUris(
  { db, tables: { applications } }: Handle,
  id: string,
  redirectUris: string[],
  now: number,
): Promise<void> {
  await db.update(applications).set({ redirectUris, updatedAt: now }).where(eq(applications.id, id));
}

export type ApiKeyRow = { id: string; appId: string; keyDigest: string; createdAt: number };

/** False when the same key is already in use. */
export async function insertApiKey({ db, tables: { apiKeys } }: Handle, key: ApiKeyRow): Promise<boolean> {
  const inserted = await db
    .insert(apiKeys)
    .values({ ...key, expiresAt: null, revokedAt: null })
    .onConflictDoNothing()
    .returning({ id: apiKeys.id });
  return inserted.length === 1;
}

export type ApplicationStats = { totalUsers: number; activeUsers: number; totalLogins: number };

/** `activeUsers` are those who signed in after `activeSince`. */
export async function countUsers(
  { db, tables: { users } }: Handle,
  appId: string,
  activeSince: number,
): Promise<ApplicationStats> {
  const [all] = await db
    .select({ users: count(), logins: sum(users.loginCount) })
    .from(users)
    .where(eq(users.appId, appId));
  const [active] = await db
    .select({ users: count() })
    .from(users)
    .where(and(eq(users.appId, appId), gt(users.lastLoginAt, activeSince)));
  return { totalUsers: all?.users ?? 0, activeUsers: active?.users ?? 0, totalLogins: Number(all?.logins ?? 0) };
}
