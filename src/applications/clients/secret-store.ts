import { and, asc, count, eq, gt, isNull, lt, or } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

/** A client's secret; only its digest is stored. Instants are epoch milliseconds. */
export type ClientSecret = Row<"clientSecrets">;

const prepared = statements(({ db, tables: { clientSecrets: secrets } }) => {
  const row = placeholders(secrets);
  return {
    byDigest: prepare(
      db.select().from(secrets).where(eq(secrets.secretDigest, row.secretDigest)),
      "client_secret_by_digest",
    ),
  };
});

export async function findSecretByDigest(handle: Handle, secretDigest: string): Promise<ClientSecret | undefined> {
  const [row] = await prepared(handle).byDigest.execute({ secretDigest });
  return row;
}

export async function findSecret(
  { db, tables: { clientSecrets } }: Handle,
  id: string,
): Promise<ClientSecret | undefined> {
  const [row] = await db.select().from(clientSecrets).where(eq(clientSecrets.id, id));
  return row;
}

/** False if the same secret is already in use. */
export async function insertSecret({ db, tables: { clientSecrets } }: Handle, secret: ClientSecret): Promise<boolean> {
  const inserted = await db
    .insert(clientSecrets)
    .values(secret)
    .onConflictDoNothing()
    .returning({ id: clientSecrets.id });
  return inserted.length === 1;
}

/** All secrets or those of one client, oldest first, including those that have ended. */
export async function listSecrets(
  { db, tables: { clientSecrets } }: Handle,
  clientId: string | undefined,
): Promise<ClientSecret[]> {
  return await db
    .select()
    .from(clientSecrets)
    .where(clientId === undefined ? undefined : eq(clientSecrets.clientId, clientId))
    .orderBy(asc(clientSecrets.createdAt), asc(clientSecrets.id));
}

export async function countLiveSecrets(
  { db, tables: { clientSecrets } }: Handle,
  clientId: string,
  now: number,
): Promise<number> {
  const live = and(
    isNull(clientSecrets.revokedAt),
    or(isNull(clientSecrets.expiresAt), gt(clientSecrets.expiresAt, now)),
  );
  const [row] = await db
    .select({ count: count() })
    .from(clientSecrets)
    .where(and(eq(clientSecrets.clientId, clientId), live));
  return row?.count ?? 0;
}

/**
 * Ends a client's live secrets at `expiresAt` unless they end sooner; returns the changed ones.
 * With `revokedAt`, they have ended whatever a clock says later.
 */
export async function expireSecrets(
  { db, tables: { clientSecrets } }: Handle,
  clientId: string,
  { expiresAt, revokedAt }: { expiresAt: number; revokedAt: number | null },
): Promise<ClientSecret[]> {
  const later = or(isNull(clientSecrets.expiresAt), gt(clientSecrets.expiresAt, expiresAt));
  return await db
    .update(clientSecrets)
    .set({ expiresAt, revokedAt })
    .where(and(eq(clientSecrets.clientId, clientId), isNull(clientSecrets.revokedAt), later))
    .returning();
}

/** The secret, if this call revoked it; undefined if it does not exist or was revoked before. */
export async function revokeSecret(
  { db, tables: { clientSecrets } }: Handle,
  id: string,
  now: number,
): Promise<ClientSecret | undefined> {
  const [row] = await db
    .update(clientSecrets)
    .set({ revokedAt: now })
    .where(and(eq(clientSecrets.id, id), isNull(clientSecrets.revokedAt)))
    .returning();
  return row;
}

export async function removeSecretsEndedBefore(
  { db, tables: { clientSecrets } }: Handle,
  before: number,
): Promise<void> {
  await db.delete(clientSecrets).where(or(lt(clientSecrets.revokedAt, before), lt(clientSecrets.expiresAt, before)));
}
