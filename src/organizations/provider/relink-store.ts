/** Members who may link another identity once. */
import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { Handle, Row } from "../../storage/storage.ts";

export type Relink = Row<"organizationRelinks">;

type Key = Pick<Relink, "organizationId" | "userId">;

const at = ({ tables: { organizationRelinks: t } }: Handle, { organizationId, userId }: Key) =>
  and(eq(t.organizationId, organizationId), eq(t.userId, userId));

/** Those that have not expired, by person. */
export async function listRelinks(handle: Handle, organizationId: string, now: number): Promise<Relink[]> {
  const { organizationRelinks: t } = handle.tables;
  return await handle.db
    .select()
    .from(t)
    .where(and(eq(t.organizationId, organizationId), gt(t.expiresAt, now)))
    .orderBy(asc(t.userId));
}

export async function findRelink(handle: Handle, key: Key, now: number): Promise<Relink | undefined> {
  const { organizationRelinks: t } = handle.tables;
  const [row] = await handle.db
    .select()
    .from(t)
    .where(and(at(handle, key), gt(t.expiresAt, now)));
  return row;
}

export async function saveRelink({ db, tables: { organizationRelinks: t } }: Handle, row: Relink): Promise<void> {
  await db
    .insert(t)
    .values(row)
    .onConflictDoUpdate({ target: [t.organizationId, t.userId], set: row });
}

/** It was used. */
export async function deleteRelink(handle: Handle, key: Key): Promise<void> {
  await handle.db.delete(handle.tables.organizationRelinks).where(at(handle, key));
}

export async function sweepRelinks({ db, tables: { organizationRelinks: t } }: Handle, now: number): Promise<void> {
  await db.delete(t).where(lte(t.expiresAt, now));
}
