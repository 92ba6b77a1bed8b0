/** Everything that happened to one person, newest first: the audit log, mails, webhooks. */
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import type { AuditRow } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import {
  listDeliveriesAbout,
  listEventsAbout,
  listMailsAbout,
  type Before,
  type DeliveryAbout,
  type MailAbout,
} from "./time-line-store.ts";

export type Entry = { at: number; id: string } & (
  | { source: "audit"; event: AuditRow }
  | { source: "mail"; mail: MailAbout }
  | { source: "webhook"; delivery: DeliveryAbout }
);

/** In which order entries of one instant are shown. */
const sources = ["audit", "mail", "webhook"] as const;

/** The last entry of a page. */
type Position = Before & { source: Entry["source"] };

const pageSize = 25;

/** `next`: where the following page begins; undefined for the last one. */
export async function timeLineOf(
  ctx: Context,
  userId: string,
  after: Position | undefined,
): Promise<{ entries: Entry[]; next: string | undefined }> {
  await aggregatedEvents(ctx).flush();
  const { reader } = ctx.storage;
  const wanted = (source: Entry["source"]) => ({ before: after && beforeIn(source, after), limit: pageSize + 1 });
  const [events, mails, deliveries] = await Promise.all([
    listEventsAbout(reader, userId, wanted("audit")),
    listMailsAbout(reader, userId, wanted("mail")),
    listDeliveriesAbout(reader, userId, wanted("webhook")),
  ]);
  const all: Entry[] = [
    ...events.map((event) => ({ source: "audit", at: event.at, id: event.id, event }) as const),
    ...mails.map((mail) => ({ source: "mail", at: mail.at, id: mail.id, mail }) as const),
    ...deliveries.map((delivery) => ({ source: "webhook", at: delivery.at, id: delivery.id, delivery }) as const),
  ];
  // Stable: entries of one instant stay in the order in which the database gave them.
  const entries = all.toSorted((a, b) => b.at - a.at);
  const last = entries.length > pageSize ? entries[pageSize - 1] : undefined;
  const next = last && `${last.at}.${last.source}.${last.id}`;
  return { entries: entries.slice(0, pageSize), next };
}

/** The rest of a source after a position: all, nothing, or a part of the position's instant. */
function beforeIn(source: Entry["source"], position: Position): Before {
  const order = sources.indexOf(source) - sources.indexOf(position.source);
  if (order === 0) return position;
  return order < 0 ? { at: position.at, id: "" } : { at: position.at + 1, id: "" };
}

/** Undefined for a value that no page has issued. */
export function positionFrom(text: string | undefined): Position | undefined {
  const [, at = "", source, id = ""] = /^(\d{1,15})\.([a-z]+)\.(.{1,200})$/u.exec(text ?? "") ?? [];
  const known = sources.find((each) => each === source);
  return known ? { at: Number(at), source: known, id } : undefined;
}
