import { and, asc, count, eq, isNotNull, isNull, max, notExists, or, sql } from "drizzle-orm";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { forShare, placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type DocumentRow = Row<"clientDocuments">;

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { clientDocuments: documents, applications, resources, consents } = tables;
  const allowed = db
    .select({ one: sql`1` })
    .from(consents)
    .where(eq(consents.clientId, documents.url));
  const row = placeholders(documents);
  const byUrl = db.select().from(documents).where(eq(documents.url, row.url));
  const { url, name, digest, createdAt, updatedAt } = row;
  return {
    byUrl: prepare(byUrl, "client_document"),
    lock: prepare(forShare(db.select().from(documents).where(eq(documents.url, row.url))), "lock_client_document"),
    save: prepare(
      db
        .insert(documents)
        .values({ url, name, digest, createdAt, updatedAt })
        .onConflictDoUpdate({
          target: documents.url,
          set: { name, digest, updatedAt },
          setWhere: isNull(documents.blockedAt),
        })
        .returning({ createdAt: documents.createdAt }),
      "save_client_document",
    ),
    sweep: prepareSweep(
      handle,
      {
        table: documents,
        key: documents.url,
        instant: documents.updatedAt,
        only: and(isNull(documents.blockedAt), notExists(allowed)),
      },
      "sweep_client_documents",
    ),
    allowing: prepare(
      db
        .selectDistinct({ settings: applications.settings })
        .from(resources)
        .innerJoin(applications, eq(applications.id, resources.appId))
        .where(eq(resources.clientDocuments, true)),
      "applications_with_client_documents",
    ),
  };
});

/** Removes a batch of documents that nobody allows and nobody blocked; true if more may be left. */
export async function sweepDocuments(tx: Handle, changedBefore: number): Promise<boolean> {
  return await prepared(tx).sweep(changedBefore);
}

export async function findDocument(handle: Handle, url: string): Promise<DocumentRow | undefined> {
  const [row] = await prepared(handle).byUrl.execute({ url });
  return row;
}

/** The same, and locks it: it cannot be blocked until the transaction ends. */
export async function lockDocument(tx: Handle, url: string): Promise<DocumentRow | undefined> {
  const [row] = await prepared(tx).lock.execute({ url });
  return row;
}

/** Stores a document's metadata and returns when it was first seen. Undefined if it is blocked. */
export async function saveDocument(
  tx: Handle,
  seen: { url: string; name: string; digest: string },
  now: number,
): Promise<number | undefined> {
  const [row] = await prepared(tx).save.execute({ ...seen, createdAt: now, updatedAt: now });
  return row?.createdAt;
}

/** Whether an application with such a resource allows unregistered clients. */
export async function allowsDocuments(handle: Handle): Promise<boolean> {
  return (await prepared(handle).allowing.execute()).some(({ settings }) => settings.clientDocuments !== undefined);
}

/** Blocks a document, or allows it again; false if it was so already. */
export async function setBlockedAt(
  { db, tables: { clientDocuments: documents } }: Handle,
  url: string,
  blockedAt: number | null,
  now: number,
): Promise<boolean> {
  if (blockedAt !== null)
    await db
      .insert(documents)
      .values({ url, name: null, digest: null, createdAt: now, updatedAt: now, blockedAt: null })
      .onConflictDoNothing();
  const changed = await db
    .update(documents)
    .set({ blockedAt, updatedAt: now })
    .where(
      and(eq(documents.url, url), blockedAt === null ? isNotNull(documents.blockedAt) : isNull(documents.blockedAt)),
    )
    .returning({ url: documents.url });
  return changed.length === 1;
}

export type DocumentUse = { appId: string | null; users: number; lastUsedAt: number | null };

/** Documents that somebody allowed or an operator blocked, for each application, oldest first. */
export async function listDocumentUses(
  { db, tables }: Handle,
  { url, appId }: { url?: string | undefined; appId?: string | undefined },
): Promise<{ document: DocumentRow; use: DocumentUse }[]> {
  const { clientDocuments: documents, consents, users, logins } = tables;
  const lastUsedAt = db
    .select({ at: max(logins.lastSeenAt) })
    .from(logins)
    .where(and(eq(logins.clientId, documents.url), eq(logins.appId, users.appId)));
  const isListed = or(isNotNull(documents.blockedAt), isNotNull(consents.userId));
  const ofApp = appId === undefined ? undefined : or(eq(users.appId, appId), isNull(users.appId));
  const rows = await db
    .select({
      document: documents,
      appId: users.appId,
      users: count(consents.userId),
      lastUsedAt: sql<number | string | null>`(${lastUsedAt})`,
    })
    .from(documents)
    .leftJoin(consents, eq(consents.clientId, documents.url))
    .leftJoin(users, eq(users.id, consents.userId))
    .where(and(isListed, ofApp, url === undefined ? undefined : eq(documents.url, url)))
    .groupBy(documents.url, users.appId)
    .orderBy(asc(documents.createdAt), asc(documents.url), asc(users.appId));
  return rows.map(({ document, appId, users, lastUsedAt: at }) => ({
    document,
    use: { appId, users, lastUsedAt: at === null ? null : Number(at) },
  }));
}
