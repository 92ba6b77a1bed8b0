import { and, asc, count, eq, gt, isNull, lte, min, or } from "drizzle-orm";
import { clockSkew, second } from "../../lib/clock.ts";
import type { AuditCursor } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import { auditColumns, type AuditRow } from "./store.ts";

/** Renewed well before, so that another process takes over only from one that died. */
const leaseLasts = 30 * second;

/** The only receiver. */
const name = "syslog";

export type SenderState = { cursor: AuditCursor; number: number; newestAt: number };

/** A numbered entry; without `row`, the log has forgotten it meanwhile. */
export type Waiting = { number: number; row: AuditRow | null };

/** Writes the state of a receiver that was never sent anything. */
export async function ensureState({ db, tables: { auditSenders } }: Handle, state: SenderState): Promise<void> {
  await db
    .insert(auditSenders)
    .values({ name, ...state })
    .onConflictDoNothing();
}

/** Takes or keeps the lease; undefined if another process has it. */
export async function takeLease(
  { db, tables: { auditSenders: senders } }: Handle,
  holder: string,
  now: number,
): Promise<SenderState | undefined> {
  // A lease beyond the maximum was taken before the clock was set back.
  const isOver = or(lte(senders.leaseUntil, now), gt(senders.leaseUntil, now + leaseLasts + clockSkew));
  const isFree = or(isNull(senders.holder), eq(senders.holder, holder), isNull(senders.leaseUntil), isOver);
  const [taken] = await db
    .update(senders)
    .set({ holder, leaseUntil: now + leaseLasts })
    .where(and(eq(senders.name, name), isFree))
    .returning({ cursor: senders.cursor, number: senders.number, newestAt: senders.newestAt });
  return taken;
}

export async function giveUpLease({ db, tables: { auditSenders: senders } }: Handle, holder: string): Promise<void> {
  await db
    .update(senders)
    .set({ holder: null, leaseUntil: null })
    .where(and(eq(senders.name, name), eq(senders.holder, holder)));
}

export async function hasState({ db, tables: { auditSenders: senders } }: Handle): Promise<boolean> {
  const [row] = await db.select({ name: senders.name }).from(senders).where(eq(senders.name, name));
  return row !== undefined;
}

/** Gives the next numbers to these entries; false if another process has the lease. */
export async function appendNumbered(
  { db, tables: { auditSenders: senders, auditSendings } }: Handle,
  holder: string,
  state: SenderState,
  eventIds: readonly string[],
): Promise<boolean> {
  const [held] = await db
    .update(senders)
    .set(state)
    .where(and(eq(senders.name, name), eq(senders.holder, holder)))
    .returning({ name: senders.name });
  if (!held) return false;
  const first = state.number - eventIds.length + 1;
  if (eventIds.length > 0)
    await db.insert(auditSendings).values(eventIds.map((eventId, place) => ({ number: first + place, eventId })));
  return true;
}

/** The next entries to send, in order. */
export async function listWaiting(
  { db, tables: { auditEvents: events, auditSendings: sendings } }: Handle,
  after: number,
  limit: number,
): Promise<Waiting[]> {
  return await db
    .select({ number: sendings.number, row: auditColumns(events) })
    .from(sendings)
    .leftJoin(events, eq(events.id, sendings.eventId))
    .where(gt(sendings.number, after))
    .orderBy(asc(sendings.number))
    .limit(limit);
}

export async function countWaiting({ db, tables: { auditSendings } }: Handle, after: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(auditSendings).where(gt(auditSendings.number, after));
  return row?.value ?? 0;
}

/** The time of the oldest entry that is not confirmed. */
export async function oldestWaiting({ db, tables }: Handle): Promise<number | undefined> {
  const { auditEvents: events, auditSendings: sendings } = tables;
  const [row] = await db
    .select({ at: min(events.at) })
    .from(sendings)
    .innerJoin(events, eq(events.id, sendings.eventId));
  return typeof row?.at === "number" ? row.at : undefined;
}

/** Forgets what the receiver has confirmed; false if another process has the lease. */
export async function confirmUpTo(handle: Handle, holder: string, number: number, now: number): Promise<boolean> {
  const { db, tables } = handle;
  if (!(await takeLease(handle, holder, now))) return false;
  await db.delete(tables.auditSendings).where(lte(tables.auditSendings.number, number));
  return true;
}
