import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, lte, min, or, sql } from "drizzle-orm";
import { clockSkew, second } from "../../lib/clock.ts";
import type { DeliveryAttempt, DeliveryStatus } from "../../storage/column-types.ts";
import { afterNow } from "../../storage/queries/instants.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type DeliveryRow = Row<"webhookDeliveries">;

/** A delivery leased by one process. */
export type DeliveryLease = Pick<DeliveryRow, "endpointId" | "eventId"> & { leaseUntil: number };

/**
 * Longer than an attempt may take. Afterwards another process takes over from one that died. Nodes'
 * clocks must agree within a few seconds.
 */
export const leaseLasts = 25 * second;
/** Rows per transaction: a few milliseconds of work. */
export const batchSize = 500;
/** Beyond this the exact number does not matter, and costs more to count. */
const maxCounted = 10_000;

const prepared = statements(({ db, tables }) => {
  const { webhookDeliveries: deliveries, webhookEndpoints: endpoints, users, applications, logins } = tables;
  const columns = placeholders(deliveries);
  const now = sql.placeholder("now");
  // A lease beyond the maximum was taken before the clock was set back.
  const isOfTheFuture = gt(deliveries.leaseUntil, afterNow(leaseLasts + clockSkew));
  const isFree = or(isNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, now), isOfTheFuture);
  const isDue = and(lte(deliveries.nextAttemptAt, now), isFree);
  // The same condition without index support: SQLite would otherwise read all due rows instead of
  // looking up the few named ones.
  const isStillDue = and(lte(sql`${deliveries.nextAttemptAt} + 0`, now), isFree);
  const due = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, columns.endpointId), isDue))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(sql.placeholder("most"));
  const dueOfEndpoint = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, endpoints.id), isDue))
    .limit(1);
  const firstOfEndpoint = db
    .select({ at: min(deliveries.nextAttemptAt) })
    .from(deliveries)
    .where(eq(deliveries.endpointId, endpoints.id));
  // If another process took over the lease, that one decides.
  const leased = and(
    eq(deliveries.endpointId, columns.endpointId),
    eq(deliveries.eventId, columns.eventId),
    eq(deliveries.leaseUntil, columns.leaseUntil),
  );
  // An answer may repeat the request. If the user was deleted during the attempt, store nothing of
  // it.
  const isStillOf = and(
    sql`${deliveries.email} IS NOT DISTINCT FROM ${columns.email}`,
    sql`${deliveries.ipAddress} IS NOT DISTINCT FROM ${columns.ipAddress}`,
  );
  const isAhead = and(gt(deliveries.nextAttemptAt, afterNow(clockSkew)), or(eq(deliveries.attempts, 0), isOfTheFuture));
  const ahead = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, columns.endpointId), isAhead))
    .limit(batchSize);
  const aheadOfEndpoint = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, endpoints.id), isAhead))
    .limit(1);
  const row = sql`(${deliveries.endpointId}, ${deliveries.eventId})`;
  const rowKey = { endpointId: deliveries.endpointId, eventId: deliveries.eventId };
  const expired = db
    .select(rowKey)
    .from(deliveries)
    .where(lt(deliveries.occurredAt, sql.placeholder("before")))
    .limit(batchSize);
  // Continues after the previous batch, to skip its dead rows.
  const ofEndpoint = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, columns.endpointId), gt(deliveries.eventId, columns.eventId)))
    .orderBy(asc(deliveries.eventId))
    .limit(batchSize);
  return {
    insert: prepare(db.insert(deliveries).values(columns), "insert_webhook_delivery"),
    email: prepare(
      db
        .select({ email: users.email, settings: applications.settings, scopes: logins.scopes })
        .from(users)
        .innerJoin(applications, eq(applications.id, users.appId))
        .leftJoin(logins, eq(logins.id, columns.sessionId))
        .where(eq(users.id, columns.userId)),
      "email_of_user_in_event",
    ),
    // A scalar subquery per endpoint, so that no planner reads a million rows of one of them.
    dueEndpoints: prepare(
      db
        .select({ id: endpoints.id })
        .from(endpoints)
        .where(and(eq(endpoints.enabled, true), sql`(${dueOfEndpoint}) is not null`)),
      "webhook_endpoints_due",
    ),
    aheadEndpoints: prepare(
      db
        .select({ id: endpoints.id })
        .from(endpoints)
        .where(sql`(${aheadOfEndpoint}) is not null`),
      "webhook_endpoints_ahead",
    ),
    // The conditions are repeated outside, because PostgreSQL rechecks only those after another
    // node was first.
    claim: prepare(
      db
        .update(deliveries)
        .set({ leaseUntil: columns.leaseUntil })
        .where(and(eq(deliveries.endpointId, columns.endpointId), inArray(deliveries.eventId, due), isStillDue))
        .returning(),
      "claim_webhook_deliveries",
    ),
    // Returns nothing, so that PostgreSQL is sent many at once. No cast: each branch of the CASE
    // gets its type from the other.
    settle: prepare(
      db
        .update(deliveries)
        .set({
          status: columns.status,
          attempts: columns.attempts,
          history: sql`CASE WHEN ${isStillOf} THEN ${columns.history} ELSE ${deliveries.history} END`,
          nextAttemptAt: columns.nextAttemptAt,
          leaseUntil: sql`${sql.placeholder("triedAt")}`,
        })
        .where(leased),
      "settle_webhook_delivery",
    ),
    hasten: prepare(
      db
        .update(deliveries)
        .set({ nextAttemptAt: columns.nextAttemptAt, leaseUntil: null })
        .where(and(eq(deliveries.endpointId, columns.endpointId), inArray(deliveries.eventId, ahead)))
        .returning({ eventId: deliveries.eventId }),
      "hasten_webhook_deliveries",
    ),
    release: prepare(db.update(deliveries).set({ leaseUntil: null }).where(leased), "release_webhook_delivery"),
    forgetUser: prepare(
      db
        .update(deliveries)
        .set({ email: null, ipAddress: null, userAgent: null, history: columns.history })
        .where(eq(deliveries.userId, columns.userId)),
      "forget_user_of_webhook_deliveries",
    ),
    backlog: prepare(
      db.select({ waiting: count() }).from(
        db
          .select({ at: deliveries.nextAttemptAt })
          .from(deliveries)
          .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
          .where(and(eq(endpoints.enabled, true), isNotNull(deliveries.nextAttemptAt)))
          .limit(maxCounted)
          .as("some_deliveries"),
      ),
      "webhook_deliveries_in_backlog",
    ),
    // One index lookup per endpoint.
    firstDue: prepare(
      db
        .select({ at: sql<string | number | null>`min((${firstOfEndpoint}))` })
        .from(endpoints)
        .where(eq(endpoints.enabled, true)),
      "first_due_webhook_delivery",
    ),
    sweep: prepare(
      db.delete(deliveries).where(inArray(row, expired)).returning({ eventId: deliveries.eventId }),
      "sweep_webhook_deliveries",
    ),
    removeOfEndpoint: prepare(
      db
        .delete(deliveries)
        .where(and(eq(deliveries.endpointId, columns.endpointId), inArray(deliveries.eventId, ofEndpoint)))
        .returning({ eventId: deliveries.eventId }),
      "remove_webhook_deliveries",
    ),
  };
});

/** Most events are about no organization. */
type NewDelivery = Omit<DeliveryRow, "organizationId" | "roles"> &
  Partial<Pick<DeliveryRow, "organizationId" | "roles">>;

export async function insertDelivery(
  tx: Handle,
  { organizationId = null, roles = null, ...row }: NewDelivery,
): Promise<void> {
  await prepared(tx).insert.execute({ ...row, organizationId, roles } satisfies Row<"webhookDeliveries">);
}

/**
 * The user's address at the end of the event's transaction; null if neither the application's
 * scopes nor those of the login (`sessionId`) include `email`.
 */
export async function findEmail(tx: Handle, userId: string, sessionId: string | null): Promise<string | null> {
  const [user] = await prepared(tx).email.execute({ userId, sessionId });
  const isGranted = user?.settings.scopes.includes("email") === true || user?.scopes?.includes("email") === true;
  return isGranted ? user.email : null;
}

/** The enabled endpoints with due deliveries that nobody has claimed. */
export async function listDueEndpoints(handle: Handle, now: number): Promise<string[]> {
  return (await prepared(handle).dueEndpoints.execute({ now })).map(({ id }) => id);
}

/**
 * How many deliveries wait for enabled endpoints (at most 10,000), and when the first one is due.
 */
export async function measureDeliveryBacklog(handle: Handle): Promise<{ waiting: number; firstDueAt: number | null }> {
  const { backlog, firstDue } = prepared(handle);
  const [counted] = await backlog.execute();
  const [first] = await firstDue.execute();
  const at = first?.at ?? null;
  return { waiting: counted?.waiting ?? 0, firstDueAt: at === null ? null : Number(at) };
}

/**
 * Leases at most `most` due deliveries of an endpoint, the longest due first. Each goes to one of
 * several processes.
 */
export async function claimDeliveries(
  tx: Handle,
  claim: { endpointId: string; now: number; most: number; leaseUntil: number },
): Promise<DeliveryRow[]> {
  return await prepared(tx).claim.execute(claim);
}

export type Settlement = {
  status: DeliveryStatus;
  attempts: number;
  history: DeliveryAttempt[];
  nextAttemptAt: number | null;
  /** The last attempt, if there will be another one. */
  triedAt: number | null;
};

/** Records the result if the lease is still ours. */
export async function settleDelivery(
  tx: Handle,
  claimed: DeliveryLease & Pick<DeliveryRow, "email" | "ipAddress">,
  settlement: Settlement,
): Promise<void> {
  const { endpointId, eventId, leaseUntil, email, ipAddress } = claimed;
  await prepared(tx).settle.execute({ endpointId, eventId, leaseUntil, email, ipAddress, ...settlement });
}

/**
 * The endpoints with deliveries created or attempted in the future, because the clock was set back.
 */
export async function listAheadEndpoints(handle: Handle, now: number): Promise<string[]> {
  return (await prepared(handle).aheadEndpoints.execute({ now })).map(({ id }) => id);
}

/** Makes a batch of such deliveries due now; true if more may be left. */
export async function hastenDeliveries(tx: Handle, endpointId: string, now: number): Promise<boolean> {
  return (await prepared(tx).hasten.execute({ endpointId, nextAttemptAt: now, now })).length === batchSize;
}

/** Returns a delivery without an attempt. */
export async function releaseDelivery(tx: Handle, { endpointId, eventId, leaseUntil }: DeliveryLease): Promise<void> {
  await prepared(tx).release.execute({ endpointId, eventId, leaseUntil });
}

/** Keeps only the id of a person in stored deliveries. */
export async function forgetUserInDeliveries(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetUser.execute({ userId, history: [] });
}

/** Removes a batch of events before `before`; true if more may be left. */
export async function sweepDeliveries(tx: Handle, before: number): Promise<boolean> {
  return (await prepared(tx).sweep.execute({ before })).length === batchSize;
}

/**
 * Removes a batch of an endpoint's deliveries after an event (or ""). Returns the last one of the
 * batch; undefined if none are left.
 */
export async function removeDeliveries(tx: Handle, endpointId: string, after: string): Promise<string | undefined> {
  const removed = await prepared(tx).removeOfEndpoint.execute({ endpointId, eventId: after });
  const ids = removed.map(({ eventId }) => eventId);
  return ids.length < batchSize ? undefined : ids.reduce((last, id) => (id > last ? id : last));
}
