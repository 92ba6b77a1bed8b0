import { and, asc, count, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, min, ne, or, sql } from "drizzle-orm";
import type { DeliveryStatus } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { batchSize, leaseLasts, type DeliveryRow } from "./delivery-store.ts";

/** The number of waiting deliveries per endpoint; endpoints without any are omitted. */
export async function countWaitingDeliveries({
  db,
  tables: { webhookDeliveries: deliveries },
}: Handle): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: deliveries.endpointId, waiting: count() })
    .from(deliveries)
    .where(isNotNull(deliveries.nextAttemptAt))
    .groupBy(deliveries.endpointId);
  return new Map(rows.map(({ id, waiting }) => [id, waiting]));
}

/** Enough for people, and quick to count. */
const maxCounted = 1000;

/**
 * How many deliveries of an endpoint wait (at most 1,000), and when the first one is due. Cheap,
 * however many there are.
 */
export async function measureWaiting(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
): Promise<{ waiting: number; firstDueAt: number | null }> {
  const waiting = db
    .select({ at: deliveries.nextAttemptAt })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, endpointId), isNotNull(deliveries.nextAttemptAt)))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(maxCounted)
    .as("waiting");
  const [row] = await db.select({ waiting: count(), firstDueAt: min(waiting.at) }).from(waiting);
  return row ?? { waiting: 0, firstDueAt: null };
}

/**
 * Whether so many attempts to reach an endpoint failed since it fails. Looks at the deliveries that
 * wait longest for their next attempt, and at the newest.
 */
export async function hasFailedAttempts(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { failingSince, attempts }: { failingSince: number; attempts: number },
): Promise<boolean> {
  const { eventId, history, nextAttemptAt } = deliveries;
  const columns = { eventId, history };
  const waiting = await db
    .select(columns)
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, endpointId), isNotNull(nextAttemptAt)))
    .orderBy(desc(nextAttemptAt))
    .limit(attempts);
  const newest = await db
    .select(columns)
    .from(deliveries)
    .where(eq(deliveries.endpointId, endpointId))
    .orderBy(desc(eventId))
    .limit(5 * attempts);
  const histories = new Map([...waiting, ...newest].map((row) => [row.eventId, row.history]));
  // The first of them began before it failed.
  const from = failingSince - leaseLasts;
  return [...histories.values()].flat().filter(({ at, error }) => error !== null && at >= from).length >= attempts;
}

/** An hour's page may not read more, however many events an hour has. */
const maxLookedAt = 2000;

/** Of the first 2,000 deliveries of events of this time, those to no client that failed or wait. */
export async function listUndelivered(
  { db, tables: { webhookDeliveries: deliveries, webhookEndpoints: endpoints } }: Handle,
  { appId, from, to, limit }: { appId: string | undefined; from: number; to: number; limit: number },
): Promise<DeliveryRow[]> {
  const ofApp = db
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(isNull(endpoints.clientId), appId === undefined ? undefined : eq(endpoints.appId, appId)));
  const first = db
    .select()
    .from(deliveries)
    .where(and(gte(deliveries.occurredAt, from), lt(deliveries.occurredAt, to)))
    .orderBy(asc(deliveries.occurredAt))
    .limit(maxLookedAt)
    .as("first");
  return await db
    .select()
    .from(first)
    .where(and(ne(first.status, "delivered"), inArray(first.endpointId, ofApp)))
    .orderBy(asc(first.occurredAt))
    .limit(limit);
}

export type DeliveryFilter = {
  status?: DeliveryStatus | undefined;
  /** Events since then, epoch milliseconds. */
  since?: number | undefined;
};

/** Which part of the list: one event, or those older than one and as new as another. */
type DeliveryRange = {
  eventId?: string | undefined;
  before?: string | undefined;
  from?: string | undefined;
  limit: number;
};

/** Newest first. Event ids are ordered by time, and so is the key. */
export async function listDeliveries(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { status, since, eventId, before, from, limit }: DeliveryFilter & DeliveryRange,
): Promise<DeliveryRow[]> {
  return await db
    .select()
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        status === undefined ? undefined : eq(deliveries.status, status),
        since === undefined ? undefined : gte(deliveries.occurredAt, since),
        eventId === undefined ? undefined : eq(deliveries.eventId, eventId),
        before === undefined ? undefined : lt(deliveries.eventId, before),
        from === undefined ? undefined : gte(deliveries.eventId, from),
      ),
    )
    .orderBy(desc(deliveries.eventId))
    .limit(limit);
}

/** `retrying`: waits after a failure. */
export type DeliveryState = DeliveryStatus | "retrying";

/** Of the newest deliveries, newest first. */
export async function listDeliveryStates(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  limit: number,
): Promise<DeliveryState[]> {
  const rows = await db
    .select({ status: deliveries.status, attempts: deliveries.attempts })
    .from(deliveries)
    .where(eq(deliveries.endpointId, endpointId))
    .orderBy(desc(deliveries.eventId))
    .limit(limit);
  return rows.map(({ status, attempts }) => (status === "waiting" && attempts > 0 ? "retrying" : status));
}

/** The endpoints that an event is for, oldest first, without receivers of logout tokens. */
export async function findEndpointsOfEvent(
  { db, tables: { webhookDeliveries: deliveries, webhookEndpoints: endpoints } }: Handle,
  eventId: string,
): Promise<{ id: string; appId: string; url: string }[]> {
  const ofEndpoint = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(and(eq(deliveries.endpointId, endpoints.id), eq(deliveries.eventId, eventId)))
    .limit(1);
  return await db
    .select({ id: endpoints.id, appId: endpoints.appId, url: endpoints.url })
    .from(endpoints)
    // One look-up for each endpoint, because no index finds a delivery by its event.
    .where(and(isNull(endpoints.clientId), sql`(${ofEndpoint}) is not null`))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id));
}

/** The event that is this many places older than the newest, or than `before`. */
export async function findEventAtPlace(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { before, place }: { before: string | undefined; place: number },
): Promise<string | undefined> {
  const [row] = await db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(
      and(eq(deliveries.endpointId, endpointId), before === undefined ? undefined : lt(deliveries.eventId, before)),
    )
    .orderBy(desc(deliveries.eventId))
    .offset(place)
    .limit(1);
  return row?.eventId;
}

/**
 * Restarts a batch of deliveries: finished ones, the named one that waits, and with status "failed"
 * all that wait after a failure, but none in delivery. Returns how many, and whether more may be
 * left.
 */
export async function reviveDeliveries(
  { db, tables: { webhookDeliveries: deliveries } }: Handle,
  endpointId: string,
  { eventId, status, since }: DeliveryFilter & { eventId?: string | undefined },
  now: number,
): Promise<{ revived: number; more: boolean }> {
  const finished = and(
    ne(deliveries.status, "waiting"),
    status === undefined ? undefined : eq(deliveries.status, status),
  );
  const waiting = and(
    eq(deliveries.status, "waiting"),
    or(isNull(deliveries.leaseUntil), lte(deliveries.leaseUntil, now)),
    eventId === undefined ? gt(deliveries.attempts, 0) : undefined,
  );
  const wanted = db
    .select({ eventId: deliveries.eventId })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        eventId !== undefined || status === "failed" ? or(finished, waiting) : finished,
        eventId === undefined ? undefined : eq(deliveries.eventId, eventId),
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
