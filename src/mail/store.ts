import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import type { MailKind } from "./mail.ts";

export type MailRow = Row<"mails">;

/** What is left of a mail that was given up. */
export type DroppedMail = { id: string; appId: string; userId: string | null; kind: MailKind; attempts: number };

const sweepSize = 500;
/** More than that is "many" to whoever watches, and costs more to count. */
const mostCounted = 10_000;

const prepared = statements(({ db, tables: { mails } }) => {
  const given = placeholders(mails);
  const now = sql.placeholder("now");
  const isFree = or(isNull(mails.leaseUntil), lte(mails.leaseUntil, now));
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
  // Whoever took the lease over in the meantime decides about the mail.
  const held = and(eq(mails.id, given.id), eq(mails.leaseUntil, given.leaseUntil));
  const dropped = {
    id: mails.id,
    appId: mails.appId,
    userId: mails.userId,
    kind: mails.kind,
    attempts: mails.attempts,
  };
  return {
    insert: prepare(db.insert(mails).values(given), "insert_mail"),
    due: prepare(due, "mails_due"),
    // The conditions stand outside, too: PostgreSQL checks only those again when another node was first.
    claim: prepare(
      db
        .update(mails)
        .set({ leaseUntil: given.leaseUntil, attempts: sql`${mails.attempts} + 1` })
        .where(and(inArray(mails.id, due), isDue))
        .returning(),
      "claim_mails",
    ),
    remove: prepare(db.delete(mails).where(held).returning(dropped), "remove_mail"),
    postpone: prepare(
      db
        .update(mails)
        .set({ nextAttemptAt: given.nextAttemptAt, lastError: given.lastError, leaseUntil: null })
        .where(held),
      "postpone_mail",
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
    // Both by an index, and neither reads more of it when mail cannot be sent for days.
    backlog: prepare(
      db
        .select({ waiting: count() })
        .from(db.select({ at: mails.nextAttemptAt }).from(mails).limit(mostCounted).as("some_mails")),
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

/** Whether there is anything to claim: a read, so that looking every second costs next to nothing. */
export async function hasDueMail(handle: Handle, now: number): Promise<boolean> {
  return (await prepared(handle).due.execute({ now, most: 1 })).length > 0;
}

/** Leases at most `most` mails that are due, and counts the attempt that follows. Of several processes, one gets each. */
export async function claimMails(
  tx: Handle,
  { now, most, leaseUntil }: { now: number; most: number; leaseUntil: number },
): Promise<MailRow[]> {
  return await prepared(tx).claim.execute({ now, most, leaseUntil });
}

/** Removes a mail whose lease is still ours; undefined when it is not, or the mail is gone with its user. */
export async function removeMail(
  tx: Handle,
  lease: { id: string; leaseUntil: number },
): Promise<DroppedMail | undefined> {
  const [removed] = await prepared(tx).remove.execute(lease);
  return removed;
}

/** Gives a mail whose lease is still ours back for a later try. */
export async function postponeMail(
  tx: Handle,
  lease: { id: string; leaseUntil: number },
  later: { nextAttemptAt: number; lastError: string },
): Promise<void> {
  await prepared(tx).postpone.execute({ ...lease, ...later });
}

/** Removes a batch of mails that are past their time; `more` tells whether some may be left. */
export async function sweepMails(tx: Handle, now: number): Promise<{ dropped: DroppedMail[]; more: boolean }> {
  const dropped = await prepared(tx).sweep.execute({ now });
  return { dropped, more: dropped.length === sweepSize };
}

export type WaitingMails = {
  mails: number;
  /** Those of them that could not be sent at least once. */
  retried: number;
  /** When the oldest was asked for, epoch milliseconds. */
  oldest: number | null;
  /** Why, in a few words each; at most five. */
  reasons: string[];
};

/** How many wait, 10,000 at most, and when the first of them is to be tried; for whoever watches every few seconds. */
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
