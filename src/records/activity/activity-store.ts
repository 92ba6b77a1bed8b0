import { and, eq, gt, gte, inArray, lt, notInArray, or, sql, sum, type SQL } from "drizzle-orm";
import { activityEvents, type ActivityEvent, type ActivitySpan } from "../../storage/column-types.ts";
import { sweepSize } from "../../storage/queries/sweep.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

type Count = Row<"activityCounts">;

/** The `app_id` of rows about the whole service. */
const wholeService = "";

function adding({ activityCounts: counts }: Pick<Handle["tables"], "activityCounts">) {
  return {
    target: [counts.appId, counts.span, counts.event, counts.startsAt, counts.kind, counts.shard],
    set: { value: sql`${counts.value} + excluded.value` },
  };
}

const prepared = statements(({ db, shard, tables }) => {
  const { activityCounts: counts } = tables;
  const { appId, event, kind, value } = placeholders(counts);
  const both = (of: SQL) =>
    (["day", "hour"] as const).map((span) => {
      return { appId: of, span, event, startsAt: sql`${sql.placeholder(span)}`, kind, shard, value };
    });
  // The service's rows first: a transaction that holds them also has the application's to itself.
  const ofService = both(sql`${wholeService}`);
  const ofApplication = [...ofService, ...both(appId)];
  return {
    addOfService: prepare(db.insert(counts).values(ofService).onConflictDoUpdate(adding(tables)), "count_activity"),
    addOfApplication: prepare(
      db.insert(counts).values(ofApplication).onConflictDoUpdate(adding(tables)),
      "count_activity_of_application",
    ),
  };
});

/** Adds to an hour and its day, of the application and of the whole service. */
export async function addActivity(
  tx: Handle,
  about: Pick<Count, "event" | "kind" | "value"> & { appId: string | null; hour: number; day: number },
): Promise<void> {
  const { addOfService, addOfApplication } = prepared(tx);
  await (about.appId === null ? addOfService : addOfApplication).execute(about);
}

/** `from` and `to` are instants; `to` is excluded. */
export type Period = {
  span: ActivitySpan;
  from: number;
  to: number;
  /** Missing: all. */
  events?: readonly ActivityEvent[] | undefined;
};

/** Naming the application and the events leads through the primary key. */
function inPeriod(
  { activityCounts: counts }: Handle["tables"],
  { span, from, to, events = activityEvents }: Period,
): SQL | undefined {
  return and(
    eq(counts.span, span),
    inArray(counts.event, [...events]),
    gte(counts.startsAt, from),
    lt(counts.startsAt, to),
  );
}

function ofEachApplication({ db, tables: { activityCounts: counts, applications } }: Handle): SQL {
  return inArray(counts.appId, db.select({ id: applications.id }).from(applications));
}

/** Without `appId`, of the whole service. */
export async function readSeries(
  { db, tables }: Handle,
  { appId = wholeService, ...period }: Period & { appId?: string | undefined },
): Promise<Pick<Count, "event" | "kind" | "startsAt" | "value">[]> {
  const { activityCounts: counts } = tables;
  const { event, startsAt, kind, value } = counts;
  return await db
    .select({ event, startsAt, kind, value: sum(value).mapWith(Number) })
    .from(counts)
    .where(and(eq(counts.appId, appId), inPeriod(tables, period)))
    // As in the key, so that nothing is sorted.
    .groupBy(event, startsAt, kind);
}

/** The same, summed over the period. */
export async function readTotals(
  { db, tables }: Handle,
  { appId = wholeService, ...period }: Period & { appId?: string | undefined },
): Promise<Pick<Count, "event" | "kind" | "value">[]> {
  const { activityCounts: counts } = tables;
  const { event, kind, value } = counts;
  return await db
    .select({ event, kind, value: sum(value).mapWith(Number) })
    .from(counts)
    .where(and(eq(counts.appId, appId), inPeriod(tables, period)))
    .groupBy(event, kind);
}

/** The same, of each application. */
export async function readTotalsByApplication(
  handle: Handle,
  period: Period,
): Promise<Pick<Count, "appId" | "event" | "kind" | "value">[]> {
  const { activityCounts: counts } = handle.tables;
  const { appId, event, kind, value } = counts;
  return await handle.db
    .select({ appId, event, kind, value: sum(value).mapWith(Number) })
    .from(counts)
    .where(and(ofEachApplication(handle), inPeriod(handle.tables, period)))
    .groupBy(appId, event, kind);
}

async function removeSome(
  { db, tables: { activityCounts: counts } }: Handle,
  which: SQL | undefined,
): Promise<Count[]> {
  const { appId, span, event, startsAt, kind, shard } = counts;
  const some = db.select({ appId, span, event, startsAt, kind, shard }).from(counts).where(which).limit(sweepSize);
  const key = sql`(${appId}, ${span}, ${event}, ${startsAt}, ${kind}, ${shard})`;
  return await db
    .delete(counts)
    .where(sql`${key} IN ${some}`)
    .returning();
}

/** Removes a batch of hours before `before`; true if more may be left. */
export async function removeHours(tx: Handle, before: number): Promise<boolean> {
  const old = inPeriod(tx.tables, { span: "hour", from: 0, to: before });
  const ofService = await removeSome(tx, and(eq(tx.tables.activityCounts.appId, wholeService), old));
  const ofApplications = await removeSome(tx, and(ofEachApplication(tx), old));
  return Math.max(ofService.length, ofApplications.length) === sweepSize;
}

/** Removes a batch of an application's counts; true if more may be left. */
export async function removeOfApplication(tx: Handle, appId: string): Promise<boolean> {
  return (await removeSome(tx, eq(tx.tables.activityCounts.appId, appId))).length === sweepSize;
}

/** The same for the applications that were deleted since then. */
export async function removeOfDeleted(tx: Handle, since: number): Promise<boolean> {
  const { activityCounts: counts, applications, deletedApplications: deleted } = tx.tables;
  const present = tx.db.select({ id: applications.id }).from(applications);
  const gone = tx.db
    .select({ id: deleted.id })
    .from(deleted)
    .where(and(gt(deleted.deletedAt, since), notInArray(deleted.id, present)));
  return (await removeSome(tx, inArray(counts.appId, gone))).length === sweepSize;
}

/** Moves a batch of counts into one shard, of what began before; true if more may be left. */
export async function foldShards(tx: Handle, before: Record<ActivitySpan, number>): Promise<boolean> {
  const { activityCounts: counts } = tx.tables;
  const old = (["hour", "day"] as const).map((span) => and(eq(counts.span, span), lt(counts.startsAt, before[span])));
  const removed = await removeSome(tx, and(sql`shard > 0`, or(...old)));
  const folded = new Map<string, Count>();
  for (const row of removed) {
    const key = JSON.stringify([row.appId, row.span, row.event, row.startsAt, row.kind]);
    folded.set(key, { ...row, shard: 0, value: row.value + (folded.get(key)?.value ?? 0) });
  }
  if (folded.size > 0)
    await tx.db
      .insert(counts)
      .values([...folded.values()])
      .onConflictDoUpdate(adding(tx.tables));
  return removed.length === sweepSize;
}
