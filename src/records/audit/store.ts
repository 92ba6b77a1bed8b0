import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  lte,
  min,
  ne,
  or,
  sql,
  type AnyColumn,
  type SQL,
} from "drizzle-orm";
import { prepareSweep, sweepSize } from "../../storage/queries/sweep.ts";
import type { SettingChanges } from "../../storage/column-types.ts";
import { forShare, placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";
import * as activity from "../activity/activity.ts";

export type AuditRow = {
  id: string;
  at: number;
  actor: string;
  action: string;
  result: "success" | "failure";
  appId: string | null;
  userId: string | null;
  ipAddress: string | null;
  requestId: string | null;
  details: Record<string, string | number | boolean | null>;
  /** The id of what was changed, if it is not the user; `app_shop/google` for a provider. */
  target: string | null;
  changes: SettingChanges | null;
  organizationId: string | null;
};

type Added = "target" | "changes" | "organizationId";
export type NewAuditRow = Omit<AuditRow, Added> & Partial<Pick<AuditRow, Added>>;

/** Of an entry. Which transaction wrote it is for `stream-store.ts` alone. */
export function auditColumns(events: Handle["tables"]["auditEvents"]) {
  const { writtenIn: _, ...columns } = getTableColumns(events);
  return columns;
}

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { auditEvents: events } = tables;
  const { writtenIn: _, ...values } = placeholders(events);
  return {
    insert: prepare(db.insert(events).values(values), "insert_audit_event"),
    sweep: prepareSweep(handle, { table: events, key: events.id, instant: events.at }, "sweep_audit_events"),
  };
});

export async function insertAuditEvent(
  tx: Handle,
  { target = null, changes = null, organizationId = null, ...row }: NewAuditRow,
): Promise<void> {
  await prepared(tx).insert.execute({ ...row, target, changes, organizationId } satisfies Omit<
    Row<"auditEvents">,
    "writtenIn"
  >);
  activity.countAudit(tx, row);
}

/** Keeps only the ids of these people. */
export async function forgetAddressesInAudit(
  { db, tables: { auditEvents: events } }: Handle,
  userIds: string[],
): Promise<void> {
  const { userId, ipAddress } = events;
  await db
    .update(events)
    .set({ ipAddress: null })
    .where(and(inArray(userId, userIds), isNotNull(ipAddress)));
}

/** Those of these users who exist; none of them is deleted before the transaction ends. */
export async function findPresentUsers({ db, tables: { users } }: Handle, ids: string[]): Promise<Set<string>> {
  const { id } = users;
  const present = await forShare(db.select({ id }).from(users).where(inArray(id, ids)).orderBy(asc(id)));
  return new Set(present.map((user) => user.id));
}

/** The position of `forgetOldAddresses`, so that it need not read the same events again. */
const forgottenFact = "audit-addresses-forgotten";

/** Removes the address from a batch of events before `before`; true if more may be left. */
export async function forgetOldAddresses({ db, tables }: Handle, before: number): Promise<boolean> {
  const { auditEvents: events, facts } = tables;
  const most = 500;
  const [fact] = await db.select().from(facts).where(eq(facts.name, forgottenFact));
  const old = await db
    .select({ id: events.id, at: events.at })
    .from(events)
    .where(and(gte(events.at, Number(fact?.value ?? 0)), lt(events.at, before), isNotNull(events.ipAddress)))
    .orderBy(asc(events.at))
    .limit(most);
  const last = old.at(-1);
  if (!last) return false;
  await db
    .update(events)
    .set({ ipAddress: null })
    .where(
      inArray(
        events.id,
        old.map(({ id }) => id),
      ),
    );
  const value = String(last.at);
  await db
    .insert(facts)
    .values({ name: forgottenFact, value })
    .onConflictDoUpdate({ target: facts.name, set: { value } });
  return old.length === most;
}

/** The ids that belong to applications. */
export async function findApplicationsOf({ db, tables }: Handle, ids: string[]): Promise<Set<string>> {
  const { applications } = tables;
  if (ids.length === 0) return new Set();
  const rows = await db.select({ id: applications.id }).from(applications).where(inArray(applications.id, ids));
  return new Set(rows.map(({ id }) => id));
}

/** Removes a batch of events before `before`; true if more may be left. */
export async function sweepAuditEvents(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweep(before);
}

/** Counts how often SQLite may have reused row numbers: earlier cursors are refused. */
export const numbersFact = "audit-numbers";

/** Removes entries by `remove`, and counts it if row numbers can be reused. */
export async function keepingNumbers(handle: Handle, remove: (handle: Handle) => Promise<boolean>): Promise<boolean> {
  const { db, tables, commitOrder } = handle;
  const { auditEvents: events, facts } = tables;
  const highest = commitOrder.highest(events);
  if (!highest) return await remove(handle);
  const find = async (): Promise<number> => {
    const [row] = await db.select({ highest }).from(sql`(SELECT 1 AS one) AS one`);
    return Number(row?.highest);
  };
  const before = await find();
  const more = await remove(handle);
  if ((await find()) === before) return more;
  const [fact] = await db.select().from(facts).where(eq(facts.name, numbersFact));
  const value = String(Number(fact?.value ?? 0) + 1);
  await db
    .insert(facts)
    .values({ name: numbersFact, value })
    .onConflictDoUpdate({ target: facts.name, set: { value } });
  return more;
}

/** The actions of the log, one look-up in an index for each. */
export async function listActions({ db, tables: { auditEvents: events } }: Handle): Promise<string[]> {
  const actions: string[] = [];
  for (;;) {
    const last = actions.at(-1);
    const isNext = last === undefined ? undefined : gt(events.action, last);
    const [next] = await db
      .select({ action: min(events.action) })
      .from(events)
      .where(isNext);
    if (typeof next?.action !== "string") return actions;
    actions.push(next.action);
  }
}

/** The same for the events of one action. */
export async function sweepAction(
  { db, tables: { auditEvents: events } }: Handle,
  action: string,
  before: number,
): Promise<boolean> {
  const batch = db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.action, action), lt(events.at, before)))
    .limit(sweepSize);
  const removed = await db.delete(events).where(inArray(events.id, batch)).returning({ id: events.id });
  return removed.length === sweepSize;
}

/** Which events to list. Instants are epoch milliseconds. */
export type AuditFilter = {
  appId?: string | undefined;
  /** Leaves out the events of this application. */
  exceptAppId?: string | undefined;
  userId?: string | undefined;
  action?: string | undefined;
  result?: AuditRow["result"] | undefined;
  actor?: string | undefined;
  actorKind?: string | undefined;
  ipAddress?: string | undefined;
  /** What was changed, or the user. */
  target?: string | undefined;
  requestId?: string | undefined;
  id?: string | undefined;
  since?: number | undefined;
  before?: number | undefined;
  /** Only those that come after this one, in the order of the list. */
  after?: { at: number; id: string } | undefined;
};

/** The newest matching events, newest first, or the oldest, oldest first; at most `limit`. */
export async function listAuditEvents(
  { db, tables: { auditEvents: events } }: Handle,
  wanted: AuditFilter & { limit: number; oldest?: boolean },
): Promise<AuditRow[]> {
  const {
    appId,
    exceptAppId,
    userId,
    action,
    result,
    actor,
    actorKind,
    ipAddress,
    target,
    requestId,
    id,
    since,
    before,
    after,
    limit,
    oldest = false,
  } = wanted;
  const direction = oldest ? asc : desc;
  // A request and a target have few entries: as text, the other columns lead to no index of theirs.
  const isNarrow = requestId !== undefined || target !== undefined;
  const is = (column: AnyColumn, value: string): SQL =>
    isNarrow ? sql`${column} || '' = ${value}` : eq(column, value);
  return await db
    .select(auditColumns(events))
    .from(events)
    .where(
      and(
        appId === undefined ? undefined : is(events.appId, appId),
        exceptAppId === undefined ? undefined : or(isNull(events.appId), ne(events.appId, exceptAppId)),
        userId === undefined ? undefined : is(events.userId, userId),
        action === undefined ? undefined : eq(actionToFind(events, wanted, isNarrow), action),
        // As text, not as a parameter: it leads to the indexes of failures.
        result === undefined ? undefined : sql`${eq(events.result, result)}`.inlineParams(),
        ipAddress === undefined ? undefined : is(events.ipAddress, ipAddress),
        actor === undefined ? undefined : and(is(events.actor, actor), isNarrow ? undefined : inIndexOf(events, actor)),
        actorKind === undefined ? undefined : like(events.actor, `${actorKind}:%`),
        target === undefined ? undefined : isAbout(events, target),
        requestId === undefined ? undefined : eq(events.requestId, requestId),
        id === undefined ? undefined : eq(events.id, id),
        since === undefined ? undefined : gte(events.at, since),
        before === undefined ? undefined : lt(events.at, before),
        after && isAfter(events, after, oldest),
      ),
    )
    .orderBy(direction(events.at), direction(events.id))
    .limit(limit);
}

/** The first condition leads to an index. */
export function isAfter(
  { at, id }: Handle["tables"]["auditEvents"],
  last: { at: number; id: string },
  oldest: boolean,
): SQL | undefined {
  return oldest
    ? and(gte(at, last.at), or(gt(at, last.at), gt(id, last.id)))
    : and(lte(at, last.at), or(lt(at, last.at), lt(id, last.id)));
}

/** Entries about people are found by `user_id`, and have no target of their own. */
function isAbout({ target, userId }: Handle["tables"]["auditEvents"], id: string): SQL {
  return id.startsWith("usr_") ? eq(userId, id) : sql`${target} = ${id} AND ${target} IS NOT NULL`;
}

/** Accounts at which sign-ins failed since then, by the address that tried; at most 10,000. */
export async function listFailedSignIns(
  { db, tables: { auditEvents: events } }: Handle,
  { since, appId, exceptAppId }: Pick<AuditFilter, "appId" | "exceptAppId"> & { since: number },
): Promise<{ ipAddress: string; userId: string; at: number }[]> {
  const { ipAddress, userId } = events;
  const failed = { action: "sign-in", result: "failure", appId } as const;
  return await db
    .select({
      ipAddress: sql<string>`${ipAddress}`,
      userId: sql<string>`${userId}`,
      at: min(events.at).mapWith(Number),
    })
    .from(events)
    .where(
      and(
        eq(actionToFind(events, failed), failed.action),
        sql`${eq(events.result, failed.result)}`.inlineParams(),
        gte(events.at, since),
        isNotNull(ipAddress),
        isNotNull(userId),
        appId === undefined ? undefined : eq(events.appId, appId),
        exceptAppId === undefined ? undefined : or(isNull(events.appId), ne(events.appId, exceptAppId)),
      ),
    )
    .groupBy(ipAddress, userId)
    .limit(10_000);
}

/** Failures of an application are few: their index is better than that of all its actions. */
function actionToFind(
  { action }: Handle["tables"]["auditEvents"],
  { appId, result }: AuditFilter,
  isNarrow = false,
): SQL {
  return isNarrow || (appId !== undefined && result === "failure") ? sql`${action} || ''` : sql`${action}`;
}

/** Leads to an index: users' own events are found by `user_id`, those of others by `actor`. */
function inIndexOf(events: Handle["tables"]["auditEvents"], actor: string): SQL | undefined {
  const [, userId] = /^user:(usr_.*)$/u.exec(actor) ?? [];
  if (userId !== undefined) return eq(events.userId, userId);
  return actor.startsWith("user:") ? undefined : sql`${events.actor} < 'user:'`;
}
