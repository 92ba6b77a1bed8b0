/**
 * Everything that happened to one person, newest first: the audit log, mails, webhooks. A sign-in
 * and the login that it began are one entry.
 */
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import type { AuditRow } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import { codeLasts } from "../../sign-in/session.ts";
import {
  listDeliveriesAbout,
  listEventsAbout,
  listMailsAbout,
  listSignInsAbout,
  type Before,
  type DeliveryAbout,
  type MailAbout,
  type TimeLineKind,
} from "./time-line-store.ts";

export type Entry = { at: number; id: string } & (
  | { source: "audit"; event: AuditRow; signIn: AuditRow | undefined }
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
  { after, kind }: { after: Position | undefined; kind: TimeLineKind | undefined },
): Promise<{ entries: Entry[]; next: string | undefined }> {
  await aggregatedEvents(ctx).flush();
  const { reader } = ctx.storage;
  const wanted = (source: Entry["source"]) => ({ before: after && beforeIn(source, after), limit: pageSize + 1 });
  const [events, newer, mails, deliveries] = await Promise.all([
    // Twice as many: a sign-in and its login are one entry.
    kind === "webhook" ? [] : listEventsAbout(reader, userId, { ...wanted("audit"), limit: 2 * pageSize + 1, kind }),
    after === undefined ? [] : listSignInsAbout(reader, userId, { from: after.at, until: after.at + codeLasts }),
    kind === undefined || kind === "mail" ? listMailsAbout(reader, userId, wanted("mail")) : [],
    kind === undefined || kind === "webhook" ? listDeliveriesAbout(reader, userId, wanted("webhook")) : [],
  ]);
  const all: Entry[] = [
    ...withTheirSignIns(events, newer),
    ...mails.map((mail) => ({ source: "mail", at: mail.at, id: mail.id, mail }) as const),
    ...deliveries.map((delivery) => ({ source: "webhook", at: delivery.at, id: delivery.id, delivery }) as const),
  ];
  // Stable: entries of one instant stay in the order in which the database gave them.
  const entries = all.toSorted((a, b) => b.at - a.at);
  const last = entries.length > pageSize ? entries[pageSize - 1] : undefined;
  const next = last && `${last.at}.${last.source}.${last.id}`;
  return { entries: entries.slice(0, pageSize), next };
}

/**
 * The events of a page, newest first, each login with its sign-in. `newer`: those of the pages
 * before, whose logins may have begun with a sign-in of this page.
 */
function withTheirSignIns(events: AuditRow[], newer: AuditRow[]): Extract<Entry, { source: "audit" }>[] {
  const own = new Set(events.map(({ id }) => id));
  const waiting: AuditRow[] = [];
  const signInOf = new Map<AuditRow, AuditRow>();
  const taken = new Set<AuditRow>();
  const isLogin = ({ action }: AuditRow): number => Number(action === "user.login");
  const all = [...newer.filter(({ id }) => !own.has(id)), ...events];
  // Of one instant, the login came later.
  for (const event of all.toSorted((a, b) => b.at - a.at || isLogin(b) - isLogin(a))) {
    if (event.result !== "success") continue;
    if (event.action === "user.login") waiting.push(event);
    if (event.action !== "sign-in") continue;
    // The first login after it: a code is redeemed within a minute.
    const at = waiting.findLastIndex(
      (login) => login.at - event.at <= codeLasts && login.details["method"] === event.details["method"],
    );
    const [login] = at < 0 ? [] : waiting.splice(at, 1);
    if (!login) continue;
    signInOf.set(login, event);
    taken.add(event);
  }
  return events
    .filter((event) => !taken.has(event))
    .map((event) => ({ source: "audit", at: event.at, id: event.id, event, signIn: signInOf.get(event) }));
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
