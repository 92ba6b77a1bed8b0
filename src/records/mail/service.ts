/**
 * The outbox. `enqueue` writes a row in the caller's transaction; `delivery.ts` sends what is
 * committed. No request waits for a mail server, and no mail is lost with a process. A mail may
 * arrive twice if a process dies between sending and recording it, but is never sent twice at once.
 */
import { clockSkew, day, hour, minute, second } from "../../lib/clock.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { newId } from "../../lib/random.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { afterCommit } from "../../storage/transaction.ts";
import * as activity from "../activity/activity.ts";
import * as audit from "../audit/audit.ts";
import type { Mail, Sending } from "./mail.ts";
import {
  claimMails,
  countWaitingMails,
  findMail,
  hasDueMail,
  countFailedMails,
  deleteMailsTo,
  hastenMails,
  insertMail,
  leaseLasts,
  listMailsAfter,
  listMailsAskedFor,
  listQueuedMails,
  measureMailBacklog,
  postponeMail,
  removeMail,
  sweepMails,
  type DroppedMail,
  type MailRow,
  type QueuedMail,
  type WaitingMails,
} from "./store.ts";
import { insertSentMail, listSentMails, sweepSentMails, type SentMail } from "./sent-store.ts";
import { mailTransport } from "./transport.ts";

/** A mail claimed by this process until `leaseUntil`. */
export type ClaimedMail = { id: string; leaseUntil: number; attempts: number; createdAt: number; mail: Mail };

/** What a mail server answered helps to find a mail there, whose log ends some day too. */
const sentAreKept = 30 * day;
/** A later notice would be useless. */
const noticesLast = 3 * day;
/** The waits after the first, second, … failure; the last one repeats until the mail expires. */
const delays = [10 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour];
/** Mail fails once the oldest has waited so long, or so many were refused in a row. */
const failsAfter = 5 * minute;
const failsAfterRefused = 3;

const mailQueue = part(() => ({ onQueued: (): void => {}, lookedAt: Number.POSITIVE_INFINITY }));

const actor = { kind: "service", name: "mail" } as const;

const keyWatch = part((ctx: Context) => ctx.keyring.watch(ctx, "mail"));

type Lease = { id: string; leaseUntil: number };

async function recordDrop(
  ctx: Context,
  tx: Handle,
  { appId, userId, ...dropped }: DroppedMail,
  reason: string,
  now: number,
) {
  const { kind, attempts } = dropped;
  await audit.record(
    ctx,
    tx,
    { actor, action: "mail.dropped", result: "failure", appId, userId, details: { kind, attempts, reason } },
    now,
  );
}

function logDrop(ctx: Context, { appId, kind, attempts }: DroppedMail, reason: string): void {
  ctx.log.warn("mail dropped", { kind, appId, attempts, reason });
}

/** `stays`: checks again, within the transaction, whether to keep it. */
async function drop(
  ctx: Context,
  lease: Lease,
  reason: string,
  stays?: (tx: Handle) => Promise<boolean>,
): Promise<void> {
  const now = ctx.clock();
  const dropped = await ctx.storage.write(async (tx) => {
    if (await stays?.(tx)) return undefined;
    const removed = await removeMail(tx, lease);
    if (removed) await recordDrop(ctx, tx, removed, reason, now);
    return removed;
  });
  if (dropped) logDrop(ctx, dropped, reason);
}

/**
 * A master key rotation may be re-encrypting it. Then a process with the new key sends it after
 * the lease.
 */
async function dropUnreadable(ctx: Context, lease: Lease): Promise<void> {
  await drop(ctx, lease, "cannot be decrypted", async (tx) => {
    if (!(await ctx.keyring.knowsAll(tx))) return true;
    const row = await findMail(tx, lease.id);
    return row !== undefined && open(ctx, row) !== undefined;
  });
}

function open(ctx: Context, { id, encryptedMail }: MailRow): Mail | undefined {
  try {
    return JSON.parse(ctx.keyring.decrypt(encryptedMail, mailContext(id))) as Mail;
  } catch {
    return undefined;
  }
}

/**
 * Whether mail can be sent. If so, addresses are verified by mail; if not, offer nothing that needs
 * it.
 */
export function available(ctx: Context): boolean {
  return mailTransport(ctx) !== undefined;
}

/**
 * Whether a queued mail is sent. The mail of a command also goes to the mailbox of a service in
 * development mode.
 */
export function takesMail(ctx: Context): boolean {
  return available(ctx) || ctx.isDevelopment;
}

/**
 * Queues a mail, which is sent once the caller's transaction is committed. Database work only,
 * so call it inside `storage.write`. Without a mail server (outside of development), it writes
 * nothing and logs one line.
 */
export async function enqueue(ctx: Context, tx: Handle, mail: Mail, now: number): Promise<void> {
  const { appId, userId, kind, to } = mail;
  if (!takesMail(ctx)) {
    ctx.log.info("mail not sent: no SMTP server is configured", { kind, appId });
    return;
  }
  // The address becomes an SMTP command and a header, so only a valid one may get there.
  if (canonicalEmail(to) !== to) throw new Error("the recipient is not a canonical address");
  const id = newId("mail", now, ctx.random);
  await insertMail(tx, {
    id,
    appId,
    userId,
    kind,
    encryptedMail: await ctx.keyring.encrypt(tx, JSON.stringify(mail), mailContext(id)),
    attempts: 0,
    nextAttemptAt: now,
    leaseUntil: null,
    createdAt: now,
    expiresAt: "expiresAt" in mail ? mail.expiresAt : now + noticesLast,
    lastError: null,
  });
  afterCommit(tx, () => mailQueue(ctx).onQueued());
}

/** The queued mails. Neither recipients nor contents are shown. */
export async function queue(ctx: Context, page: Parameters<typeof listQueuedMails>[1]): Promise<QueuedMail[]> {
  return await listQueuedMails(ctx.storage.reader, page);
}

/**
 * Calls one listener for every mail queued by this process, after its transaction is committed.
 */
export function whenQueued(ctx: Context, listener: () => void): void {
  mailQueue(ctx).onQueued = listener;
}

/** Claims at most `most` due mails for this process; each must be settled. */
export async function claim(ctx: Context, most: number): Promise<ClaimedMail[]> {
  const now = ctx.clock();
  // At the start too: the previous process may have had another clock.
  if (now < mailQueue(ctx).lookedAt - clockSkew) await ctx.storage.write((tx) => hastenMails(tx, now));
  mailQueue(ctx).lookedAt = now;
  if (!(await hasDueMail(ctx.storage.reader, now)) || !(await keyWatch(ctx)())) return [];
  const rows = await ctx.storage.write((tx) => claimMails(tx, { now, most, leaseUntil: now + leaseLasts }));
  const claimed: ClaimedMail[] = [];
  for (const row of rows) {
    const { id, attempts, createdAt } = row;
    const lease = { id, leaseUntil: now + leaseLasts };
    const mail = open(ctx, row);
    if (mail) claimed.push({ ...lease, attempts, createdAt, mail });
    else await dropUnreadable(ctx, lease);
  }
  return claimed;
}

/**
 * Stores the server's answer if the mail is still ours. Before the mail is removed, because the
 * user is locked first (docs/decisions/0049).
 */
async function storeSent(
  tx: Handle,
  { id, leaseUntil, mail }: ClaimedMail,
  { answer = "" }: { answer?: string },
  now: number,
): Promise<void> {
  const { appId, userId, kind } = mail;
  if (userId === null) return;
  const row = await findMail(tx, id);
  if (row?.leaseUntil === leaseUntil) await insertSentMail(tx, { id, appId, userId, kind, sentAt: now, answer });
}

/**
 * Records the result of a claimed mail: removes it if sent or permanently refused, else
 * schedules a retry.
 */
export async function settle(ctx: Context, claimed: ClaimedMail, sending: Sending): Promise<void> {
  const now = ctx.clock();
  const { kind, appId, userId } = claimed.mail;
  if (sending.result === "sent") {
    await ctx.storage.write(async (tx) => {
      activity.count(tx, { event: "mail.sent", kind }, { appId, at: now });
      await storeSent(tx, claimed, sending, now);
      await removeMail(tx, claimed);
      // Only for mails to a person: strangers request the others.
      const event = { actor, action: "mail.sent", result: "success", appId, userId, details: { kind } } as const;
      if (userId !== null) await audit.record(ctx, tx, event, now);
    });
    return;
  }
  if (sending.result === "refused") {
    await drop(ctx, claimed, sending.reason);
    return;
  }
  const { attempts } = claimed;
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? 0;
  const later = { nextAttemptAt: now + delay, lastError: sending.reason };
  await ctx.storage.write(async (tx) => {
    activity.count(tx, { event: "mail.failed", kind }, { appId, at: now });
    await postponeMail(tx, claimed, later, now);
  });
  ctx.log.warn("mail not sent yet", {
    kind,
    appId,
    attempts,
    reason: sending.reason,
    retryAfterSeconds: delay / second,
  });
}

/** The mails that are not sent yet. */
export async function pending(ctx: Context): Promise<WaitingMails> {
  return await countWaitingMails(ctx.storage.reader);
}

/**
 * How many wait (at most 10,000), and for how many milliseconds the first one has been due.
 */
export async function backlog(ctx: Context): Promise<{ waiting: number; overdue: number }> {
  const { waiting, firstDueAt } = await measureMailBacklog(ctx.storage.reader);
  return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, ctx.clock() - firstDueAt) };
}

/** The first mails that were asked for in this time and wait, of the first 1,000 in the queue. */
export async function unsent(
  ctx: Context,
  wanted: Parameters<typeof listMailsAskedFor>[1],
): ReturnType<typeof listMailsAskedFor> {
  return await listMailsAskedFor(ctx.storage.reader, wanted);
}

/** How many wait, of the first 1,000; of all applications without `appId`. */
export async function countWaiting(ctx: Context, appId: string | undefined): Promise<number> {
  return (await listMailsAfter(ctx.storage.reader, { appId, after: 0 })).length;
}

/** How many failed last time, of the first 1,000; of all applications without `appId`. */
export async function countFailing(ctx: Context, appId: string | undefined): Promise<number> {
  return await countFailedMails(ctx.storage.reader, appId);
}

/**
 * Since when no mail is sent; undefined if mails are. Only those asked for after the last one that
 * was sent count: a full mailbox, or a server that asks to wait, delays nobody else's.
 */
export async function failingSince(ctx: Context, appId: string | undefined): Promise<number | undefined> {
  const after = (await audit.lastDone(ctx, "mail.sent", appId)) ?? 0;
  const unsent = await listMailsAfter(ctx.storage.reader, { appId, after });
  const [oldest] = unsent;
  if (!oldest) return undefined;
  const refused = unsent.filter(({ lastError }) => lastError !== null).length;
  const fails = refused >= failsAfterRefused || ctx.clock() - oldest.createdAt >= failsAfter;
  return fails ? oldest.createdAt : undefined;
}

/** Why the newest mail that failed did, of the first 1,000 that wait; undefined if none did. */
export async function lastError(ctx: Context, appId: string | undefined): Promise<string | undefined> {
  const unsent = await listMailsAfter(ctx.storage.reader, { appId, after: 0 });
  return unsent.findLast(({ lastError: error }) => error !== null)?.lastError ?? undefined;
}

/** The mails that were sent to people in the last 30 days, newest first. */
export async function sent(ctx: Context, wanted: Parameters<typeof listSentMails>[1]): Promise<SentMail[]> {
  return await listSentMails(ctx.storage.reader, wanted);
}

/** Drops a batch of expired mails, and what is kept of sent ones; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const moreSent = await ctx.storage.write((tx) => sweepSentMails(tx, now - sentAreKept));
  const reason = "expired";
  const { dropped, more } = await ctx.storage.write(async (tx) => {
    const swept = await sweepMails(tx, now);
    for (const mail of swept.dropped) await recordDrop(ctx, tx, mail, reason, now);
    return swept;
  });
  for (const mail of dropped) logDrop(ctx, mail, reason);
  return more || moreSent;
}

export function mailContext(id: string): string {
  return `mails ${id}`;
}

/** Drops what was not sent yet and is void by now. */
export async function cancel(tx: Handle, userId: string, kind: Mail["kind"]): Promise<void> {
  await deleteMailsTo(tx, userId, kind);
}
