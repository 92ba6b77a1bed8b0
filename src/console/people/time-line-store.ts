import { and, desc, eq, gte, inArray, lt, lte, notInArray, or, sql, type SQL } from "drizzle-orm";
import { auditColumns, type AuditRow } from "../../records/audit/store.ts";
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

const ofSignIns = ["sign-in", "user.login"];
const ofSignInsAndTheirEnd = [...ofSignIns, "user.logout", "account.sign-out"];
const ofMails = ["mail.sent", "mail.dropped", "mail.limited"];

/** What a time line can be limited to. */
export type TimeLineKind = "sign-in" | "refused" | "change" | "mail" | "webhook";

function isOfKind({ action, result }: Handle["tables"]["auditEvents"], kind: TimeLineKind | undefined) {
  if (kind === "sign-in") return and(inArray(action, ofSignInsAndTheirEnd), eq(result, "success"));
  if (kind === "refused") return and(notInArray(action, ofMails), eq(result, "failure"));
  if (kind === "mail") return inArray(action, ofMails);
  return kind && and(notInArray(action, [...ofSignInsAndTheirEnd, ...ofMails]), eq(result, "success"));
}

/** Newest first, as the others here. */
async function eventsAbout(
  { db, tables: { auditEvents: events } }: Handle,
  userId: string,
  limit: number,
  ...conditions: (SQL | undefined)[]
): Promise<AuditRow[]> {
  return await db
    .select(auditColumns(events))
    .from(events)
    .where(and(eq(events.userId, userId), ...conditions))
    .orderBy(desc(events.at), desc(events.id))
    .limit(limit);
}

export async function listEventsAbout(
  handle: Handle,
  userId: string,
  { before, limit, kind }: { before: Before | undefined; limit: number; kind: TimeLineKind | undefined },
): Promise<AuditRow[]> {
  const { auditEvents: events } = handle.tables;
  return await eventsAbout(handle, userId, limit, isBefore(events.at, events.id, before), isOfKind(events, kind));
}

/** Sign-ins and the logins that they began, between two instants. */
export async function listSignInsAbout(
  handle: Handle,
  userId: string,
  { from, until }: { from: number; until: number },
): Promise<AuditRow[]> {
  const { at, action } = handle.tables.auditEvents;
  return await eventsAbout(handle, userId, 200, gte(at, from), lte(at, until), inArray(action, ofSignIns));
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

/** Sign-ins and codes of this user that failed, newest first. */
export async function listRefusals(
  handle: Handle,
  userId: string,
  { since, limit }: { since: number; limit: number },
): Promise<AuditRow[]> {
  const { at, action, result } = handle.tables.auditEvents;
  const isRefusal = and(eq(result, "failure"), inArray(action, ["sign-in", "email-code"]));
  return await eventsAbout(handle, userId, limit, gte(at, since), isRefusal);
}

/** `sent` and `dropped` as the audit log has them. */
export type LastMail = { at: number; kind: string; state: "sent" | "dropped" | "waiting"; reason: string | null };

export async function findLastMail(handle: Handle, userId: string, since: number): Promise<LastMail | undefined> {
  const { at, action } = handle.tables.auditEvents;
  const isSettled = inArray(action, ["mail.sent", "mail.dropped"]);
  const [waiting] = await listMailsAbout(handle, userId, { before: undefined, limit: 1 });
  const [settled] = await eventsAbout(handle, userId, 1, gte(at, since), isSettled);
  if (waiting && (!settled || waiting.at >= settled.at))
    return { at: waiting.at, kind: waiting.kind, state: "waiting", reason: waiting.lastError };
  if (!settled) return undefined;
  const { kind, reason } = settled.details;
  const state = settled.action === "mail.sent" ? "sent" : "dropped";
  return { at: settled.at, kind: String(kind), state, reason: typeof reason === "string" ? reason : null };
}
