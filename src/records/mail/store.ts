import {
  and,
  asc,
  count,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  or,
  sql,
} from "drizzle-orm";
import { clockSkew, minute } from "../../lib/clock.ts";
import { mailsWithProof, type MailKind } from "../../storage/column-types.ts";
import { afterNow } from "../../storage/queries/instants.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type MailRow = Row<"mails">;

/** The stored remainder of a dropped mail. */
export type DroppedMail = { id: string; appId: string; userId: string | null; kind: MailKind; attempts: number };

/**
 * Longer than an attempt may take (smtp.ts). Afterwards another process takes over from one that
 * died.
 */
export const leaseLasts = minute;
const sweepSize = 500;
/** Beyond this the exact number does not matter, and costs more to count. */
const maxCounted = 10_000;

const prepared = statements(({ db, tables: { mails } }) => {
  const row = placeholders(mails);
  const now = sql.placeholder("now");
  // A lease beyond the maximum was taken before the clock was set back.
  const isOfTheFuture = gt(mails.leaseUntil, afterNow(leaseLasts + clockSkew));
  const isFree = or(isNull(mails.leaseUntil), lte(mails.leaseUntil, now), isOfTheFuture);
  const isDue = and(lte(mails.nextAttemptAt, now), gt(mails.expiresAt, now), isFree);
  const due = db
    .select({ id: mails.id })
    .from(mails)
    .where(isDue)
    .orderBy(asc(mails.nextAttemptAt))
    .limit(sql.placeholder("most"));
  const expired = db
    .select({ id: mails.id })
    .from(mails)
    .where(and(lte(mails.expiresAt, now), isFree))
    .limit(sweepSize);
  // If another process took over the lease, that one decides about the mail.
  const leased = and(eq(mails.id, row.id), eq(mails.leaseUntil, row.leaseUntil));
  const dropped = {
    id: mails.id,
    appId: mails.appId,
    userId: mails.userId,
    kind: mails.kind,
    attempts: mails.attempts,
  };
  return {
    insert: prepare(db.insert(mails).values(row), "insert_mail"),
    due: prepare(due, "mails_due"),
    // The conditions are repeated outside, because PostgreSQL rechecks only those after another
    // node was first.
    claim: prepare(
      db
        .update(mails)
        .set({ leaseUntil: row.leaseUntil, attempts: sql`${mails.attempts} + 1` })
        .where(and(inArray(mails.id, due), isDue))
        .returning(),
      "claim_mails",
    ),
    remove: prepare(db.delete(mails).where(leased).returning(dropped), "remove_mail"),
    postpone: prepare(
      db
        .update(mails)
        .set({ nextAttemptAt: row.nextAttemptAt, lastError: row.lastError, leaseUntil: sql`${now}` })
        .where(leased),
      "postpone_mail",
    ),
    hasten: prepare(
      db
        .update(mails)
        .set({ nextAttemptAt: row.nextAttemptAt, leaseUntil: null })
        .where(or(isOfTheFuture, and(eq(mails.attempts, 0), gt(mails.nextAttemptAt, afterNow(clockSkew))))),
      "hasten_mails",
    ),
    sweep: prepare(
      db
        .delete(mails)
        .where(and(inArray(mails.id, expired), isFree))
        .returning(dropped),
      "sweep_mails",
    ),
    waiting: prepare(
      db.select({ mails: count(), retried: count(mails.lastError), oldest: min(mails.createdAt) }).from(mails),
      "waiting_mails",
    ),
    // Both use an index and stay cheap even if mail cannot be sent for days.
    backlog: prepare(
      db
        .select({ waiting: count() })
        .from(db.select({ at: mails.nextAttemptAt }).from(mails).limit(maxCounted).as("some_mails")),
      "mails_in_backlog",
    ),
    firstDue: prepare(db.select({ at: min(mails.nextAttemptAt) }).from(mails), "first_due_mail"),
    lastErrors: prepare(
      db.selectDistinct({ reason: mails.lastError }).from(mails).where(isNotNull(mails.lastError)).limit(5),
      "last_errors_of_mails",
    ),
  };
});

export async function insertMail(tx: Handle, row: MailRow): Promise<void> {
  await prepared(tx).insert.execute(row satisfies Row<"mails">);
}

/** Whether there is anything to claim. Only a read, so that checking every second is cheap. */
export async function hasDueMail(handle: Handle, now: number): Promise<boolean> {
  return (await prepared(handle).due.execute({ now, most: 1 })).length > 0;
}

/**
 * Leases at most `most` due mails and counts the next attempt. Each mail goes to one of several
 * processes.
 */
export async function claimMails(
  tx: Handle,
  { now, most, leaseUntil }: { now: number; most: number; leaseUntil: number },
): Promise<MailRow[]> {
  return await prepared(tx).claim.execute({ now, most, leaseUntil });
}

export async function findMail({ db, tables: { mails } }: Handle, id: string): Promise<MailRow | undefined> {
  const [row] = await db.select().from(mails).where(eq(mails.id, id));
  return row;
}

/**
 * Removes a mail whose lease is still ours; undefined if it is not, or if the mail was deleted with
 * its user.
 */
export async function removeMail(
  tx: Handle,
  lease: { id: string; leaseUntil: number },
): Promise<DroppedMail | undefined> {
  const [removed] = await prepared(tx).remove.execute(lease);
  return removed;
}

/**
 * Returns a mail whose lease is still ours for a later attempt. The lease's end records the last
 * attempt.
 */
export async function postponeMail(
  tx: Handle,
  lease: { id: string; leaseUntil: number },
  later: { nextAttemptAt: number; lastError: string },
  now: number,
): Promise<void> {
  await prepared(tx).postpone.execute({ ...lease, ...later, now });
}

/** Removes a user's mails with a link or a code that are not sent yet. */
export async function removeProofsOf({ db, tables: { mails } }: Handle, userId: string): Promise<void> {
  await db.delete(mails).where(and(eq(mails.userId, userId), inArray(mails.kind, mailsWithProof)));
}

/** After the clock was set back: mails created or attempted in the future are due now. */
export async function hastenMails(tx: Handle, now: number): Promise<void> {
  await prepared(tx).hasten.execute({ nextAttemptAt: now, now });
}

/** Removes a batch of expired mails; `more` tells whether some may be left. */
export async function sweepMails(tx: Handle, now: number): Promise<{ dropped: DroppedMail[]; more: boolean }> {
  const dropped = await prepared(tx).sweep.execute({ now });
  return { dropped, more: dropped.length === sweepSize };
}

export type WaitingMails = {
  mails: number;
  /** Those that have failed at least once. */
  retried: number;
  /** When the oldest was requested, in epoch milliseconds. */
  oldest: number | null;
  /** The reasons in a few words each; at most five. */
  reasons: string[];
};

/** How many wait (at most 10,000), and when the first attempt is due. For frequent polling. */
export async function measureMailBacklog(handle: Handle): Promise<{ waiting: number; firstDueAt: number | null }> {
  const { backlog, firstDue } = prepared(handle);
  const [counted] = await backlog.execute();
  const [first] = await firstDue.execute();
  return { waiting: counted?.waiting ?? 0, firstDueAt: first?.at ?? null };
}

export async function countWaitingMails(handle: Handle): Promise<WaitingMails> {
  const { waiting, lastErrors } = prepared(handle);
  const [counted] = await waiting.execute();
  const reasons = (await lastErrors.execute()).flatMap(({ reason }) => reason ?? []);
  return { mails: counted?.mails ?? 0, retried: counted?.retried ?? 0, oldest: counted?.oldest ?? null, reasons };
}

/** A long queue is not read to its end for every page. */
const maxLookedAt = 1000;

/** How many failed last time, of the first 1,000; of all applications without `appId`. */
export async function countFailedMails({ db, tables: { mails } }: Handle, appId: string | undefined): Promise<number> {
  const first = db
    .select({ lastError: mails.lastError })
    .from(mails)
    .where(appId === undefined ? undefined : eq(mails.appId, appId))
    .limit(maxLookedAt)
    .as("first_mails");
  const [row] = await db.select({ failed: count() }).from(first).where(isNotNull(first.lastError));
  return row?.failed ?? 0;
}

/**
 * The first 1,000 mails asked for after this instant, oldest first; of all applications without
 * `appId`.
 */
export async function listMailsAfter(
  { db, tables: { mails } }: Handle,
  { appId, after }: { appId: string | undefined; after: number },
): Promise<{ createdAt: number; lastError: string | null }[]> {
  return await db
    .select({ createdAt: mails.createdAt, lastError: mails.lastError })
    .from(mails)
    .where(and(appId === undefined ? undefined : eq(mails.appId, appId), gt(mails.createdAt, after)))
    .orderBy(asc(mails.id))
    .limit(maxLookedAt);
}

type Asked = { appId: string | undefined; from: number; to: number; limit: number };

/** The first queued mails that were asked for in this time. Reads at most 1,000 of the queue. */
export async function listMailsAskedFor(
  { db, tables: { mails } }: Handle,
  { appId, from, to, limit }: Asked,
): Promise<Pick<MailRow, "id" | "kind" | "createdAt" | "lastError">[]> {
  const { id, kind, createdAt, lastError } = mails;
  const first = db
    .select({ id, kind, createdAt, lastError })
    .from(mails)
    .where(appId === undefined ? undefined : eq(mails.appId, appId))
    .orderBy(asc(id))
    .limit(maxLookedAt)
    .as("first_asked_mails");
  return await db
    .select()
    .from(first)
    .where(and(gte(first.createdAt, from), lt(first.createdAt, to)))
    .limit(limit);
}

/** A queued mail, without its content. */
export type QueuedMail = Omit<MailRow, "encryptedMail" | "leaseUntil">;

/** The next mails to be sent after this one; without `appId`, of all applications. */
export async function listQueuedMails(
  { db, tables: { mails } }: Handle,
  { appId, after, limit }: { appId: string | undefined; after: { at: number; id: string } | undefined; limit: number },
): Promise<QueuedMail[]> {
  const { encryptedMail: _content, leaseUntil: _lease, ...columns } = getTableColumns(mails);
  return await db
    .select(columns)
    .from(mails)
    .where(
      and(
        appId === undefined ? undefined : eq(mails.appId, appId),
        after && gte(mails.nextAttemptAt, after.at),
        after && or(gt(mails.nextAttemptAt, after.at), gt(mails.id, after.id)),
      ),
    )
    .orderBy(asc(mails.nextAttemptAt), asc(mails.id))
    .limit(limit);
}

/** Removes the unsent mails of this kind to a user. */
export async function deleteMailsTo({ db, tables: { mails } }: Handle, userId: string, kind: MailKind): Promise<void> {
  await db.delete(mails).where(and(eq(mails.userId, userId), eq(mails.kind, kind)));
}
