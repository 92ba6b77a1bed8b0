import { and, asc, desc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { isoTime } from "../../lib/clock.ts";
import { feedEpoch } from "../../storage/queries/commit-order.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { beginsWith, placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
import type { Revocation } from "./revocation.ts";

/** The database and its newest position. */
export type FeedPosition = { epoch: string | null; life: string; position: string };

/** `isAhead`: the cursor is newer than the database. */
export type Page = FeedPosition & { isAhead: boolean; rows: (Revocation & { id: number })[] };

/** Positions: entries after `after`, up to `until` (null: all). */
export type PageQuery = {
  appId: string;
  after: string;
  until: string | null;
  /** Only entries with a higher number. */
  id: number;
  limit: number;
};

const prepared = statements((handle) => {
  const { db, tables, commitOrder } = handle;
  const { applications, facts, revocations } = tables;
  const { id, appId, loginId, userId, keyId, organizationId, at } = placeholders(revocations);
  const current = {
    epoch: sql<string | null>`(SELECT ${facts.value} FROM ${facts} WHERE ${facts.name} = ${sql.raw(`'${feedEpoch}'`)})`,
    life: commitOrder.life,
    position: commitOrder.position(revocations),
  };
  const after = sql`${sql.placeholder("after")}`;
  const isNew = and(
    sql`${revocations.appId} IN (${appId}, '')`,
    commitOrder.between(revocations, after, sql`${sql.placeholder("until")}`),
    gt(revocations.id, id),
  );
  const isAhead = commitOrder.isAhead(revocations, after);
  return {
    insert: prepare(
      db.insert(revocations).values({ appId, loginId, userId, keyId, organizationId, at }),
      "insert_revocation",
    ),
    current: prepare(db.select(current).from(applications).where(eq(applications.id, appId)), "revocations_here"),
    page: prepare(
      db
        .select({ current: { ...current, isAhead }, row: revocations })
        .from(applications)
        .leftJoin(revocations, isNew)
        .where(eq(applications.id, appId))
        .orderBy(asc(revocations.id))
        .limit(sql.placeholder("limit")),
      "revocations_after",
    ),
    sweep: prepareSweep(
      handle,
      { table: revocations, key: revocations.id, instant: revocations.at },
      "sweep_revocations",
    ),
  };
});

export async function insertRevocation(tx: Handle, revocation: Revocation): Promise<void> {
  await prepared(tx).insert.execute(revocation);
}

export async function insertRevocations(
  { db, tables: { revocations } }: Handle,
  entries: readonly Revocation[],
): Promise<void> {
  await db.insert(revocations).values([...entries]);
}

/** Undefined if there is no such application. */
export async function findPosition(handle: Handle, appId: string): Promise<FeedPosition | undefined> {
  const [current] = await prepared(handle).current.execute({ appId });
  return current;
}

/** A page of an application's entries, oldest first. Undefined if there is no such application. */
export async function findPage(handle: Handle, query: PageQuery): Promise<Page | undefined> {
  const rows = await prepared(handle).page.execute(query);
  const [first] = rows;
  return first && { ...first.current, rows: rows.flatMap(({ row }) => row ?? []) };
}

/** The newest entries of an application, oldest first. */
export async function findNewest(
  { db, tables: { revocations } }: Handle,
  appId: string,
  limit: number,
): Promise<Revocation[]> {
  const rows = await db
    .select()
    .from(revocations)
    .where(inArray(revocations.appId, [appId, ""]))
    .orderBy(desc(revocations.id))
    .limit(limit);
  return rows.toReversed();
}

/**
 * Which of the applications have entries after `after`, and the database's newest position. Without
 * `after`: only the position.
 */
export async function findChanged(
  { db, tables: { revocations }, commitOrder }: Handle,
  appIds: readonly string[],
  after: string | undefined,
): Promise<{ position: string; changed: string[] }> {
  const position = commitOrder.position(revocations);
  const one = sql`(SELECT 1 AS one) AS one`;
  if (after === undefined) {
    const [current] = await db.select({ position }).from(one);
    return { position: current?.position ?? "", changed: [] };
  }
  const isNew = and(
    inArray(revocations.appId, [...appIds, ""]),
    commitOrder.between(revocations, sql`${after}`, sql`${null}`),
  );
  const rows = await db.selectDistinct({ position, appId: revocations.appId }).from(one).leftJoin(revocations, isNew);
  return { position: rows[0]?.position ?? after, changed: rows.flatMap(({ appId }) => appId ?? []) };
}

/** Writes the epoch of this database, unless it has one. */
export async function ensureEpoch({ db, tables: { facts } }: Handle, value: string): Promise<void> {
  await db.insert(facts).values({ name: feedEpoch, value }).onConflictDoNothing();
}

/** Removes a batch of entries that are older than `before`; true if more may be left. */
export async function sweepRevocations(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

/** Of applications with organizations whose feed was read without entries about them. */
const oldReader = "feed-without-organizations ";

/** Values are times as text, which sort as times do. */
export async function recordOldReader({ db, tables: { facts } }: Handle, appId: string, at: number): Promise<void> {
  const value = isoTime(at);
  const row = { name: oldReader + appId, value };
  await db.insert(facts).values(row).onConflictDoUpdate({ target: facts.name, set: { value } });
}

/** The ids of these applications, since that time. */
export async function listOldReaders({ db, tables: { facts } }: Handle, since: number): Promise<string[]> {
  const isRecent = and(beginsWith(facts.name, oldReader), gt(facts.value, isoTime(since)));
  const rows = await db.select({ name: facts.name }).from(facts).where(isRecent).orderBy(asc(facts.name));
  return rows.map(({ name }) => name.slice(oldReader.length));
}

export async function deleteOldReaders({ db, tables: { facts } }: Handle, before: number): Promise<void> {
  await db.delete(facts).where(and(beginsWith(facts.name, oldReader), lte(facts.value, isoTime(before))));
}
