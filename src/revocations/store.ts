import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { feedEpoch } from "../storage/queries/commit-order.ts";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import type { Revocation } from "./revocation.ts";

/** Where the database is now. */
export type Here = { epoch: string | null; life: string; position: string };

export type Page = Here & { isAhead: boolean; rows: (Revocation & { id: number })[] };

export type PageQuestion = {
  appId: string;
  after: string;
  until: string | null;
  /** Only behind this number. */
  id: number;
  limit: number;
};

const prepared = statements((handle) => {
  const { db, tables, commitOrder } = handle;
  const { applications, facts, revocations } = tables;
  const { id, appId, loginId, userId, keyId, at } = placeholders(revocations);
  const here = {
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
    insert: prepare(db.insert(revocations).values({ appId, loginId, userId, keyId, at }), "insert_revocation"),
    here: prepare(db.select(here).from(applications).where(eq(applications.id, appId)), "revocations_here"),
    page: prepare(
      db
        .select({ here: { ...here, isAhead }, row: revocations })
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
  several: readonly Revocation[],
): Promise<void> {
  await db.insert(revocations).values([...several]);
}

/** Undefined if there is no such application. */
export async function findHere(handle: Handle, appId: string): Promise<Here | undefined> {
  const [here] = await prepared(handle).here.execute({ appId });
  return here;
}

/** What is new for an application. Undefined if there is none of this id. */
export async function findPage(handle: Handle, question: PageQuestion): Promise<Page | undefined> {
  const found = await prepared(handle).page.execute(question);
  const [first] = found;
  return first && { ...first.here, rows: found.flatMap(({ row }) => row ?? []) };
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

/** Which of the applications have something new since `after`, and the position of this answer. */
export async function findChanged(
  { db, tables: { revocations }, commitOrder }: Handle,
  appIds: readonly string[],
  after: string | undefined,
): Promise<{ position: string; changed: string[] }> {
  const position = commitOrder.position(revocations);
  const one = sql`(SELECT 1 AS one) AS one`;
  if (after === undefined) {
    const [here] = await db.select({ position }).from(one);
    return { position: here?.position ?? "", changed: [] };
  }
  const isNew = and(
    inArray(revocations.appId, [...appIds, ""]),
    commitOrder.between(revocations, sql`${after}`, sql`${null}`),
  );
  const rows = await db.selectDistinct({ position, appId: revocations.appId }).from(one).leftJoin(revocations, isNew);
  return { position: rows[0]?.position ?? after, changed: rows.flatMap(({ appId }) => appId ?? []) };
}

/** Writes the epoch of this database unless it has one. */
export async function settleEpoch({ db, tables: { facts } }: Handle, value: string): Promise<void> {
  await db.insert(facts).values({ name: feedEpoch, value }).onConflictDoNothing();
}

/** Removes a batch of entries from before `before`; true if more may be left. */
export async function sweepRevocations(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}
