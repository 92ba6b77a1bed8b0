import { and, asc, eq, gt, inArray, isNull, lt, lte, sql } from "drizzle-orm";
import type { Handle, Row } from "../../storage/storage.ts";

export type SetupLink = Row<"organizationSetupLinks">;

export async function insertSetupLink(handle: Handle, row: SetupLink): Promise<void> {
  await handle.db.insert(handle.tables.organizationSetupLinks).values(row);
}

export async function findSetupLink(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  which: { digest: string } | { id: string },
): Promise<SetupLink | undefined> {
  const isIt = "id" in which ? eq(links.id, which.id) : eq(links.digest, which.digest);
  const [row] = await db.select().from(links).where(isIt);
  return row;
}

/** Those that have neither ended nor expired, the oldest first. */
export async function listSetupLinks(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  organizationId: string,
  now: number,
): Promise<SetupLink[]> {
  const isOpen = and(eq(links.organizationId, organizationId), isNull(links.endedAt), gt(links.expiresAt, now));
  return await db.select().from(links).where(isOpen).orderBy(asc(links.createdAt));
}

/** Ends the open ones with this id, for this address, or of this maker. */
export async function endSetupLinks(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  { organizationId, id, email, makerId }: { organizationId: string; id?: string; email?: string; makerId?: string },
  now: number,
): Promise<SetupLink[]> {
  return await db
    .update(links)
    .set({ endedAt: now })
    .where(
      and(
        eq(links.organizationId, organizationId),
        isNull(links.endedAt),
        id === undefined ? undefined : eq(links.id, id),
        email === undefined ? undefined : eq(links.email, email),
        makerId === undefined ? undefined : eq(links.makerId, makerId),
      ),
    )
    .returning();
}

/** A code for one browser. A browser that had it open before has not any more. */
export async function recordCode(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  id: string,
  code: { codeDigest: string; codeExpiresAt: number; browserDigest: string },
): Promise<void> {
  await db
    .update(links)
    .set({ ...code, codeTries: 0, openUntil: null })
    .where(eq(links.id, id));
}

/** Counts a try of the browser's code, and returns its digest; undefined: there is none to try. */
export async function countTry(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  { id, browserDigest, maxTries }: { id: string; browserDigest: string; maxTries: number },
  now: number,
): Promise<string | undefined> {
  const mayTry = and(
    eq(links.id, id),
    eq(links.browserDigest, browserDigest),
    lt(links.codeTries, maxTries),
    gt(links.codeExpiresAt, now),
  );
  const counted = db.update(links).set({ codeTries: sql`${links.codeTries} + 1` });
  const [row] = await counted.where(mayTry).returning({ codeDigest: links.codeDigest });
  return row?.codeDigest ?? undefined;
}

/** Uses the code up. */
export async function recordOpened(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  id: string,
  openUntil: number,
): Promise<void> {
  await db.update(links).set({ codeDigest: null, codeExpiresAt: null, openUntil }).where(eq(links.id, id));
}

/** Deletes a batch of those that expired before; true if more may be left. */
export async function sweepSetupLinks(
  { db, tables: { organizationSetupLinks: links } }: Handle,
  before: number,
  limit: number,
): Promise<boolean> {
  const old = db.select({ id: links.id }).from(links).where(lte(links.expiresAt, before)).limit(limit);
  return (await db.delete(links).where(inArray(links.id, old)).returning({ id: links.id })).length === limit;
}
