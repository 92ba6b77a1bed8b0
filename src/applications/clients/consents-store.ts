import { and, asc, eq, gt, isNotNull, isNull, max } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

type Consent = Row<"consents">;

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
    save: prepare(
      db
        .insert(consents)
        .values(row)
        .onConflictDoUpdate({
          target: [consents.userId, consents.clientId],
          set: { scopes: row.scopes, updatedAt: row.updatedAt },
        }),
      "save_consent",
    ),
  };
});

export async function findConsent(handle: Handle, userId: string, clientId: string): Promise<Consent | undefined> {
  const [row] = await prepared(handle).find.execute({ userId, clientId });
  return row;
}

export async function saveConsent(tx: Handle, consent: Consent): Promise<void> {
  await prepared(tx).save.execute(consent);
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

/** A user's consents with the names of their clients, oldest first. */
export async function listConsents(
  { db, tables: { consents, clients } }: Handle,
  userId: string,
): Promise<(Consent & { name: string })[]> {
  const rows = await db
    .select({ consent: consents, name: clients.name })
    .from(consents)
    .innerJoin(clients, eq(clients.id, consents.clientId))
    .where(eq(consents.userId, userId))
    .orderBy(asc(consents.createdAt), asc(consents.clientId));
  return rows.map(({ consent, name }) => ({ ...consent, name }));
}

/** The clients with live logins of a user, and when the last of each began. */
export async function listSignedInClients(
  { db, tables: { logins, clients } }: Handle,
  userId: string,
  now: number,
): Promise<{ clientId: string; name: string; signedInAt: number }[]> {
  const rows = await db
    .select({ clientId: clients.id, name: clients.name, signedInAt: max(logins.createdAt) })
    .from(logins)
    .innerJoin(clients, eq(clients.id, logins.clientId))
    .where(
      and(eq(logins.userId, userId), isNotNull(logins.clientId), isNull(logins.endedAt), gt(logins.expiresAt, now)),
    )
    .groupBy(clients.id, clients.name)
    .orderBy(asc(clients.name), asc(clients.id));
  return rows.map(({ signedInAt, ...client }) => ({ ...client, signedInAt: Number(signedInAt) }));
}
