import { and, asc, eq, getTableColumns, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { found, questions, sharedInTurn } from "../storage/gathered.ts";
import { beginsWith, prepare, statements, type Handle } from "../storage/storage.ts";
import type { Application } from "./application.ts";

const keys = questions({ keyDigest: "text", now: "bigint" });

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
    byKeyAmongOthers: keys.answeredBy(
      prepare(
        db.select({ place: keys.place, ...found(getTableColumns(applications)) }).from(
          sql`${keys.rows}, LATERAL (
              SELECT * FROM applications
              WHERE id = (
                SELECT app_id FROM api_keys
                WHERE key_digest = asked."keyDigest" AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > asked.now)
              )
              LIMIT 1
            ) AS applications`,
        ),
        "applications_by_keys",
      ),
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

/** The application of a live API key, by the key's digest: at the end of this turn, and so outside of transactions. */
export async function findApplicationByKey(
  handle: Handle,
  keyDigest: string,
  now: number,
): Promise<Application | undefined> {
  const { byKey, byKeyAmongOthers } = prepared(handle);
  return await (handle.gathers ? byKeyAmongOthers : byKey)({ keyDigest, now });
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

/** At most two: enough to know whether there is exactly one. */
export async function listTwoApplications({ db, tables: { applications } }: Handle): Promise<Application[]> {
  return await db.select().from(applications).limit(2);
}

export async function listApplications({ db, tables: { applications } }: Handle): Promise<Application[]> {
  return await db.select().from(applications).orderBy(asc(applications.createdAt), asc(applications.id));
}

/** Applications whose id begins like this, for completion in a shell. */
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

/** Writes an application that was taken and changed in this transaction. */
export async function saveApplication(
  { db, tables: { applications } }: Handle,
  { id, ...changed }: Application,
): Promise<void> {
  await db.update(applications).set(changed).where(eq(applications.id, id));
}

/** Its users, keys and everything else of it go with it. False when there was none. */
export async function deleteApplication({ db, tables: { applications } }: Handle, id: string): Promise<boolean> {
  const deleted = await db.delete(applications).where(eq(applications.id, id)).returning({ id: applications.id });
  return deleted.length === 1;
}

/** Removes a batch of an application's users; true when more may be left. */
export async function deleteSomeUsers({ db, tables: { users } }: Handle, appId: string): Promise<boolean> {
  const most = 500;
  const some = db.select({ id: users.id }).from(users).where(eq(users.appId, appId)).limit(most);
  return (await db.delete(users).where(inArray(users.id, some)).returning({ id: users.id })).length === most;
}

/** The providers that an application has an account with. */
export async function listProviderNames({ db, tables: { oauthProviders } }: Handle, appId: string): Promise<string[]> {
  const rows = await db
    .select({ name: oauthProviders.name })
    .from(oauthProviders)
    .where(eq(oauthProviders.appId, appId));
  return rows.map(({ name }) => name);
}
