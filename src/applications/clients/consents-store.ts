import { and, asc, desc, eq, gt, isNotNull, isNull, max, notInArray, sql } from "drizzle-orm";
import { forChange, placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";
import { isSame, standardScopes } from "../resources/resource.ts";
import { findResource } from "../resources/store.ts";
import { organizationScope } from "./client.ts";

type Consent = Row<"consents">;
type Tables = Handle["tables"];

const prepared = statements(({ db, tables: { consents } }) => {
  const row = placeholders(consents);
  return {
    find: prepare(
      db
        .select()
        .from(consents)
        .where(and(eq(consents.userId, row.userId), eq(consents.clientId, row.clientId))),
      "consent",
    ),
    lock: prepare(
      forChange(
        db
          .select()
          .from(consents)
          .where(and(eq(consents.userId, row.userId), eq(consents.clientId, row.clientId))),
      ),
      "lock_consent",
    ),
    save: prepare(
      db
        .insert(consents)
        .values(row)
        .onConflictDoUpdate({
          target: [consents.userId, consents.clientId],
          set: { scopes: row.scopes, document: row.document, updatedAt: row.updatedAt },
        }),
      "save_consent",
    ),
  };
});

export async function findConsent(handle: Handle, userId: string, clientId: string): Promise<Consent | undefined> {
  const [row] = await prepared(handle).find.execute({ userId, clientId });
  return row && (await standing(handle, row));
}

/** A consent without resources that are no longer there. */
async function standing(handle: Handle, consent: Consent): Promise<Consent> {
  const subjectOf = (entry: string) => entry.split(" ", 1)[0] ?? "";
  const there = new Set(standardScopes);
  for (const subject of new Set(consent.scopes.map(subjectOf))) {
    // Of the scope, and of each organization.
    if (subject.split(":", 1)[0] === organizationScope) there.add(subject);
    const resource = there.has(subject) ? undefined : await findResource(handle, subject);
    if (resource && isSame(resource, consent.updatedAt)) there.add(subject);
  }
  return { ...consent, scopes: consent.scopes.filter((entry) => there.has(subjectOf(entry))) };
}

/** The same, and locks it until the transaction ends. */
export async function lockConsent(tx: Handle, userId: string, clientId: string): Promise<Consent | undefined> {
  const [row] = await prepared(tx).lock.execute({ userId, clientId });
  return row && (await standing(tx, row));
}

export async function saveConsent(
  tx: Handle,
  consent: Omit<Consent, "document"> & { document?: string | null },
): Promise<void> {
  await prepared(tx).save.execute({ document: null, ...consent });
}

/** Removes a user's consent; false if there is none. */
export async function deleteConsent({ db, tables }: Handle, userId: string, clientId: string): Promise<boolean> {
  const { consents } = tables;
  const deleted = await db
    .delete(consents)
    .where(and(eq(consents.userId, userId), eq(consents.clientId, clientId)))
    .returning({ clientId: consents.clientId });
  return deleted.length === 1;
}

/** Removes a user's oldest consents to unregistered clients, but for the newest. */
export async function deleteOldestToDocuments(
  { db, tables: { consents } }: Handle,
  userId: string,
  kept: number,
): Promise<void> {
  const toDocuments = and(eq(consents.userId, userId), isNotNull(consents.document));
  const newest = db
    .select({ clientId: consents.clientId })
    .from(consents)
    .where(toDocuments)
    .orderBy(desc(consents.updatedAt), desc(consents.clientId))
    .limit(kept);
  await db.delete(consents).where(and(toDocuments, notInArray(consents.clientId, newest)));
}

/** Removes a user's consents; with `since`, only those given or extended after it. */
export async function deleteConsentsOf({ db, tables: { consents } }: Handle, userId: string, since = 0): Promise<void> {
  await db.delete(consents).where(and(eq(consents.userId, userId), gt(consents.updatedAt, since)));
}

/** How many there are; with `since`, of those given or extended after it. */
export async function countConsents({ db, tables: { consents } }: Handle, userId: string, since = 0): Promise<number> {
  return await db.$count(consents, and(eq(consents.userId, userId), gt(consents.updatedAt, since)));
}

/** Removes everybody's consent to a client. */
export async function deleteConsentsTo({ db, tables: { consents } }: Handle, clientId: string): Promise<void> {
  await db.delete(consents).where(eq(consents.clientId, clientId));
}

/** A user's consents with the names of their clients and the application, oldest first. */
export async function listConsents(
  { db, tables: { consents, users, clients, clientDocuments: documents } }: Handle,
  userId: string,
): Promise<(Consent & { name: string; appId: string })[]> {
  const rows = await db
    .select({ consent: consents, name: nameOf({ clients, documents }), appId: users.appId })
    .from(consents)
    .innerJoin(users, eq(users.id, consents.userId))
    .leftJoin(clients, eq(clients.id, consents.clientId))
    .leftJoin(documents, eq(documents.url, consents.clientId))
    .where(eq(consents.userId, userId))
    .orderBy(asc(consents.createdAt), asc(consents.clientId));
  return rows.map(({ consent, ...client }) => ({ ...consent, ...client }));
}

/** When each client was last used by a user, also if that login ended; not those of long ago. */
export async function listClientUses(
  { db, tables: { logins, proxyLogins } }: Handle,
  userId: string,
): Promise<{ clientId: string | null; usedAt: number }[]> {
  const rows = await db
    .select({
      clientId: logins.clientId,
      usedAt: max(sql`coalesce(${proxyLogins.lastUsedAt}, ${logins.createdAt})`),
    })
    .from(logins)
    .leftJoin(proxyLogins, eq(proxyLogins.loginId, logins.id))
    .where(and(eq(logins.userId, userId), isNotNull(logins.clientId)))
    .groupBy(logins.clientId);
  return rows.map(({ clientId, usedAt }) => ({ clientId, usedAt: Number(usedAt) }));
}

/** The clients with live logins of a user, and when the last of each began. */
export async function listSignedInClients(
  { db, tables: { logins, clients, clientDocuments: documents } }: Handle,
  userId: string,
  now: number,
): Promise<{ clientId: string; name: string; signedInAt: number }[]> {
  const name = nameOf({ clients, documents });
  const rows = await db
    .select({ clientId: logins.clientId, name, signedInAt: max(logins.createdAt) })
    .from(logins)
    .leftJoin(clients, eq(clients.id, logins.clientId))
    .leftJoin(documents, eq(documents.url, logins.clientId))
    .where(
      and(eq(logins.userId, userId), isNotNull(logins.clientId), isNull(logins.endedAt), gt(logins.expiresAt, now)),
    )
    .groupBy(logins.clientId, clients.name, documents.name)
    .orderBy(asc(name), asc(logins.clientId));
  return rows.map(({ clientId, name, signedInAt }) => ({
    clientId: clientId ?? "",
    name,
    signedInAt: Number(signedInAt),
  }));
}

/** A client's name: given by an operator, or by the document of an unregistered one. */
function nameOf({ clients, documents }: { clients: Tables["clients"]; documents: Tables["clientDocuments"] }) {
  return sql<string>`coalesce(${clients.name}, ${documents.name}, '')`;
}
