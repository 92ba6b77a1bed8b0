import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, min, ne, or, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { DeliveryAttempt, DeliveryStatus } from "./delivery.ts";

export type DeliveryRow = Row<"webhookDeliveries">;

/** A delivery in the hands of one process. */
export type DeliveryLease = Pick<DeliveryRow, "endpointId" | "eventId"> & { leaseUntil: number };

/** How many rows one transaction changes: a few milliseconds' work. */
const batchSize = 500;
/** More than that is "many" to whoever watches, and costs more to count. */
const mostCounted = 10_000;

const prepared = statements(({ db, tables: { webhookDeliveries: deliveries, webhookEndpoints: endpoints, users } }) => {
  const given = placeholders(deliveries);
  const now = sql.placeholder("now");
  const isFree = or(isNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, now));
  const isDue = and(lte(deliveries.nextAttemptAt, now), isFree);
  // The same, but no index serves it: SQLite would rather read everything that is due than look up the few rows that are named.
  const isStillDue = and(lte(sql`${deliveries.nextAttemptAt} + 0`, now), isFree);
  const due = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, given.endpointId), isDue))
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
  // Whoever took the lease over in the meantime decides.
  const held = and(
    eq(deliveries.endpointId, given.endpointId),
    eq(deliveries.eventId, given.eventId),
    eq(deliveries.leaseUntil, given.leaseUntil),
  );
  // An answer may repeat what was sent: of somebody who was forgotten while the attempt was under way, nothing new is kept.
  const isStillOf = and(
    sql`${deliveries.email} IS NOT DISTINCT FROM ${given.email}`,
    sql`${deliveries.ipAddress} IS NOT DISTINCT FROM ${given.ipAddress}`,
  );
  const row = sql`(${deliveries.endpointId}, ${deliveries.eventId})`;
  const rowKey = { endpointId: deliveries.endpointId, eventId: deliveries.eventId };
  const expired = db
    .select(rowKey)
    .from(deliveries)
    .where(lt(deliveries.occurredAt, sql.placeholder("before")))
    .limit(batchSize);
  // From where the batch before ended, not over its remains.
  const ofEndpoint = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, given.endpointId), gt(deliveries.eventId, given.eventId)))
    .orderBy(asc(deliveries.eventId))
    .limit(batchSize);
  return {
    insert: prepare(db.insert(deliveries).values(given), "insert_webhook_delivery"),
    email: prepare(
      db.select({ email: users.email }).from(users).where(eq(users.id, given.userId)),
      "email_of_user_in_event",
    ),
    // A scalar subquery for each endpoint, so that a million rows of one of them are never read, whatever a planner thinks of them.
    dueEndpoints: prepare(
      db
        .select({ id: endpoints.id })
        .from(endpoints)
        .where(and(eq(endpoints.enabled, true), sql`(${dueOfEndpoint}) is not null`)),
      "webhook_endpoints_due",
    ),
    // The conditions stand outside, too: PostgreSQL checks only those again when another node was first.
    claim: prepare(
      db
        .update(deliveries)
        .set({ leaseUntil: given.leaseUntil })
        .where(and(eq(deliveries.endpointId, given.endpointId), inArray(deliveries.eventId, due), isStillDue))
        .returning(),
      "claim_webhook_deliveries",
    ),
    // Returns nothing, so that PostgreSQL is sent many of them at once. No cast: each branch of the CASE takes its type from the other.
    settle: prepare(
      db
        .update(deliveries)
        .set({
          status: given.status,
          attempts: given.attempts,
          history: sql`CASE WHEN ${isStillOf} THEN ${given.history} ELSE ${deliveries.history} END`,
          nextAttemptAt: given.nextAttemptAt,
          leaseUntil: null,
        })
        .where(held),
      "settle_webhook_delivery",
    ),
    release: prepare(db.update(deliveries).set({ leaseUntil: null }).where(held), "release_webhook_delivery"),
    forgetUser: prepare(
      db
        .update(deliveries)
        .set({ email: null, ipAddress: null, userAgent: null, history: given.history })
        .where(eq(deliveries.userId, given.userId)),
      "forget_user_of_webhook_deliveries",
    ),
    backlog: prepare(
      db.select({ waiting: count() }).from(
        db
          .select({ at: deliveries.nextAttemptAt })
          .from(deliveries)
          .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
          .where(and(eq(endpoints.enabled, true), isNotNull(deliveries.nextAttemptAt)))
          .limit(mostCounted)
          .as("some_deliveries"),
      ),
      "webhook_deliveries_in_backlog",
    ),
    // One look into the index for each endpoint.
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
        .where(and(eq(deliveries.endpointId, given.endpointId), inArray(deliveries.eventId, ofEndpoint)))
        .returning({ eventId: deliveries.eventId }),
      "remove_webhook_deliveries",
    ),
  };
});

export async function insertDelivery(tx: Handle, row: DeliveryRow): Promise<void> {
  await prepared(tx).insert.execute(row satisfies Row<"webhookDeliveries">);
}

/** The address of a user as the transaction that the event belongs to has left it. */
export async function findEmail(tx: Handle, userId: string): Promise<string | null> {
  const [user] = await prepared(tx).email.execute({ userId });
  return user?.email ?? null;
}

/** The enabled endpoints for which something is due and in nobody's hands. */
export async function listDueEndpoints(handle: Handle, now: number): Promise<string[]> {
  return (await prepared(handle).dueEndpoints.execute({ now })).map(({ id }) => id);
}

/** How many wait for enabled endpoints, 10,000 at most, and when the first of them is to be tried. */
export async function measureDeliveryBacklog(handle: Handle): Promise<{ waiting: number; firstDueAt: number | null }> {
  const { backlog, firstDue } = prepared(handle);
  const [counted] = await backlog.execute();
  const [first] = await firstDue.execute();
  const at = first?.at ?? null;
  return { waiting: counted?.waiting ?? 0, firstDueAt: at === null ? null : Number(at) };
}

/** Leases at most `most` deliveries of an endpoint that are due, the longest due first. Of several processes, one gets each. */
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
};

/** Notes the outcome where the lease is still ours. */
export async function settleDelivery(
  tx: Handle,
  claimed: DeliveryLease & Pick<DeliveryRow, "email" | "ipAddress">,
  settlement: Settlement,
): Promise<void> {
  const { endpointId, eventId, leaseUntil, email, ipAddress } = claimed;
  await prepared(tx).settle.execute({ endpointId, eventId, leaseUntil, email, ipAddress, ...settlement });
}

/** Gives a delivery back untried. */
export async function releaseDelivery(tx: Handle, { endpointId, eventId, leaseUntil }: DeliveryLease): Promise<void> {
  await prepared(tx).release.execute({ endpointId, eventId, leaseUntil });
}

/** Leaves of a person only the id, in whatever is still kept. */
export async function forgetUserInDeliveries(tx: Handle, userId: string): Promise<void> {
  await prepared(tx).forgetUser.execute({ userId, history: [] });
}

/** Removes a batch of events from before `before`; true when more may be left. */
export async function sweepDeliveries(tx: Handle, before: number): Promise<boolean> {
  return (await prepared(tx).sweep.execute({ before })).length === batchSize;
}

/** Removes a batch of an endpoint's deliveries, those after an event (or after ""); the last one of it, undefined when no more are left. */
export async function removeDeliveries(tx: Handle, endpointId: string, after: string): Promise<string | undefined> {
  const removed = await prepared(tx).removeOfEndpoint.execute({ endpointId, eventId: after });
  const ids = removed.map(({ eventId }) => eventId);
  return ids.length < batchSize ? undefined : ids.reduce((last, id) => (id > last ? id : last));
}

export type DeliveryFilter = {
  status?: DeliveryStatus | undefined;
  /** Events from then on, epoch milliseconds. */
  since?: number | undefined;
};

/** The newest first. Event ids are ordered by time, and so is the key. */
export async function listDeliveries(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { status, since, limit }: DeliveryFilter & { limit: number },
): Promise<DeliveryRow[]> {
  return await db
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        status === undefined ? undefined : eq(deliveries.status, status),
        since === undefined ? undefined : gte(deliveries.occurredAt, since),
      ),
    )
    .orderBy(desc(deliveries.eventId))
    .limit(limit);
}

/** Makes a batch of finished deliveries due again, from the start of the schedule; how many, and whether more may be left. */
export async function reviveDeliveries(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { eventId, status, since }: DeliveryFilter & { eventId?: string | undefined },
  now: number,
): Promise<{ revived: number; more: boolean }> {
  const wanted = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        ne(deliveries.status, "waiting"),
        eventId === undefined ? undefined : eq(deliveries.eventId, eventId),
        status === undefined ? undefined : eq(deliveries.status, status),
        since === undefined ? undefined : gte(deliveries.occurredAt, since),
      ),
    )
    .limit(batchSize);
  const revived = await db
    .update(deliveries)
    .set({ status: "waiting", attempts: 0, nextAttemptAt: now, leaseUntil: null })
    .where(and(eq(deliveries.endpointId, endpointId), inArray(deliveries.eventId, wanted)))
    .returning({ eventId: deliveries.eventId });
  return { revived: revived.length, more: revived.length === batchSize };
}
