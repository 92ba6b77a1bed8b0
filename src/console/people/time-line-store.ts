import { and, desc, eq, lt, lte, or, sql, type SQL } from "drizzle-orm";
import type { AuditRow } from "../../records/audit/store.ts";
import type { DeliveryStatus, EventKind, MailKind } from "../../storage/column-types.ts";
import type { Column } from "../../storage/queries/sort-keys.ts";
import type { Handle } from "../../storage/storage.ts";

/** Only rows before this instant, and those of the instant whose id is lower. */
export type Before = { at: number; id: string };

export type MailAbout = { id: string; at: number; kind: MailKind; attempts: number; lastError: string | null };
export type DeliveryAbout = {
  id: string;
  at: number;
  kind: EventKind;
  status: DeliveryStatus;
  endpointId: string;
  url: string;
  /** Set for a logout token of a client. */
  clientId: string | null;
};

function isBefore(at: Column, id: Column | SQL, before: Before | undefined): SQL | undefined {
  // `lte` leads to the index.
  return before && and(lte(at, before.at), or(lt(at, before.at), sql`${id} < ${before.id}`));
}

/** Newest first, as the others here. */
export async function listEventsAbout(
  { db, tables: { auditEvents: events } }: Handle,
  userId: string,
  { before, limit }: { before: Before | undefined; limit: number },
): Promise<AuditRow[]> {
  return await db
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), isBefore(events.at, events.id, before)))
    .orderBy(desc(events.at), desc(events.id))
    .limit(limit);
}

/** Mails that are not sent yet: the audit log has the others. */
export async function listMailsAbout(
  { db, tables: { mails } }: Handle,
  userId: string,
  { before, limit }: { before: Before | undefined; limit: number },
): Promise<MailAbout[]> {
  const { id, createdAt: at, kind, attempts, lastError } = mails;
  return await db
    .select({ id, at, kind, attempts, lastError })
    .from(mails)
    .where(and(eq(mails.userId, userId), isBefore(mails.createdAt, mails.id, before)))
    .orderBy(desc(mails.createdAt), desc(mails.id))
    .limit(limit);
}

export async function listDeliveriesAbout(
  { db, tables: { webhookDeliveries: deliveries, webhookEndpoints: endpoints } }: Handle,
  userId: string,
  { before, limit }: { before: Before | undefined; limit: number },
): Promise<DeliveryAbout[]> {
  const { occurredAt: at, kind, status, endpointId } = deliveries;
  const id = sql<string>`${deliveries.eventId} || ' ' || ${deliveries.endpointId}`;
  return await db
    .select({ id, at, kind, status, endpointId, url: endpoints.url, clientId: endpoints.clientId })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .where(and(eq(deliveries.userId, userId), isBefore(at, id, before)))
    .orderBy(desc(at), desc(id))
    .limit(limit);
}
