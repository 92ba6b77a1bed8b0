import type { Audit } from "../audit/audit.ts";
import { day, hour, minute, second, type Clock } from "../lib/clock.ts";
import { canonicalEmail } from "../lib/email.ts";
import type { Log } from "../lib/log.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Mail, Sending } from "./mail.ts";
import {
  claimMails,
  countWaitingMails,
  hasDueMail,
  insertMail,
  measureMailBacklog,
  postponeMail,
  removeMail,
  sweepMails,
  type DroppedMail,
  type MailRow,
  type WaitingMails,
} from "./store.ts";

/** A mail in the hands of this process until `leaseUntil`. */
export type ClaimedMail = { id: string; leaseUntil: number; attempts: number; createdAt: number; mail: Mail };

/** Longer than one try may take (smtp.ts); after it, another process takes over from one that has died. */
const leaseLasts = minute;
/** A notice that comes later than that explains nothing any more. */
const noticesLast = 3 * day;
/** The wait after the first failure, the second, …; the last one repeats until the mail expires. */
const delays = [10 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour];

export type MailService = ReturnType<typeof createMail>;

/**
 * Mail on its way out. `enqueue` writes a row in the caller's transaction; `delivery.ts` sends what is committed. No request ever waits for a
 * mail server, and no mail is lost with a process. A mail may arrive twice when a process dies between sending and noting it; never twice at once.
 */
export function createMail(deps: {
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  clock: Clock;
  random: Random;
  log: Log;
  /** Where mail goes: `mailbox` is that of development mode. */
  goesTo: "smtp" | "mailbox" | "nowhere";
}) {
  const { storage, keyring, audit, clock, random, log, goesTo } = deps;
  const actor = { kind: "service", name: "mail" } as const;
  let onQueued = (): void => {};

  async function recordDrop(tx: Handle, { appId, userId, ...dropped }: DroppedMail, reason: string, now: number) {
    const { kind, attempts } = dropped;
    await audit.record(
      tx,
      { actor, action: "mail.dropped", result: "failure", appId, userId, details: { kind, attempts, reason } },
      now,
    );
  }

  function logDrop({ appId, kind, attempts }: DroppedMail, reason: string): void {
    log.warn("mail dropped", { kind, appId, attempts, reason });
  }

  async function drop(lease: { id: string; leaseUntil: number }, reason: string): Promise<void> {
    const now = clock();
    const dropped = await storage.write(async (tx) => {
      const removed = await removeMail(tx, lease);
      if (removed) await recordDrop(tx, removed, reason, now);
      return removed;
    });
    if (dropped) logDrop(dropped, reason);
  }

  function open({ id, encryptedMail }: MailRow): Mail | undefined {
    try {
      return JSON.parse(keyring.decrypt(encryptedMail, mailContext(id))) as Mail;
    } catch {
      return undefined;
    }
  }

  return {
    /** Whether mail goes anywhere at all. Where it does not, offer nothing that needs it. */
    available: goesTo !== "nowhere",

    /** Whether addresses are to be proven by mail (decision 7: only with a mail server). */
    canVerify: goesTo === "smtp",

    /**
     * Sends a mail once the caller's transaction is committed, and not if it is not. The caller need not do anything else. Database work only, so
     * it belongs inside of `storage.write`. Without a mail server (and outside of development) it writes nothing and logs one line.
     */
    async enqueue(tx: Handle, mail: Mail, now: number): Promise<void> {
      const { appId, userId, kind, to } = mail;
      if (goesTo === "nowhere") {
        log.info("mail not sent: no SMTP server is configured", { kind, appId });
        return;
      }
      // The address becomes an SMTP command and a header: whatever is not one address must never get there.
      if (canonicalEmail(to) !== to) throw new Error("a mail was addressed to something that is no canonical address");
      const id = newId("mail", now, random);
      await insertMail(tx, {
        id,
        appId,
        userId,
        kind,
        encryptedMail: keyring.encrypt(JSON.stringify(mail), mailContext(id)),
        attempts: 0,
        nextAttemptAt: now,
        leaseUntil: null,
        createdAt: now,
        expiresAt: "expiresAt" in mail ? mail.expiresAt : now + noticesLast,
        lastError: null,
      });
      onQueued();
    },

    /** Tells one listener of every mail that this process has put in, before its transaction is committed. */
    whenQueued(listener: () => void): void {
      onQueued = listener;
    },

    /** Takes at most `most` mails that are due into this process's hands; each must be settled. */
    async claim(most: number): Promise<ClaimedMail[]> {
      const now = clock();
      if (!(await hasDueMail(storage.reader, now))) return [];
      const rows = await storage.write((tx) => claimMails(tx, { now, most, leaseUntil: now + leaseLasts }));
      const claimed: ClaimedMail[] = [];
      for (const row of rows) {
        const { id, attempts, createdAt } = row;
        const lease = { id, leaseUntil: now + leaseLasts };
        const mail = open(row);
        if (mail) claimed.push({ ...lease, attempts, createdAt, mail });
        else await drop(lease, "cannot be decrypted");
      }
      return claimed;
    },

    /** Notes what became of a claimed mail: removed when sent or refused for good, else tried again later. */
    async settle(claimed: ClaimedMail, sending: Sending): Promise<void> {
      if (sending.result === "sent") {
        await storage.write((tx) => removeMail(tx, claimed));
        return;
      }
      if (sending.result === "refused") {
        await drop(claimed, sending.reason);
        return;
      }
      const { attempts, mail } = claimed;
      const delay = delays[Math.min(attempts, delays.length) - 1] ?? 0;
      const later = { nextAttemptAt: clock() + delay, lastError: sending.reason };
      await storage.write((tx) => postponeMail(tx, claimed, later));
      const { kind, appId } = mail;
      log.warn("mail not sent yet", {
        kind,
        appId,
        attempts,
        reason: sending.reason,
        retryAfterSeconds: delay / second,
      });
    },

    /** What has not been sent yet. */
    async pending(): Promise<WaitingMails> {
      return await countWaitingMails(storage.reader);
    },

    /** How many wait, 10,000 at most, and for how many milliseconds the first of them has been due. */
    async backlog(): Promise<{ waiting: number; overdue: number }> {
      const { waiting, firstDueAt } = await measureMailBacklog(storage.reader);
      return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, clock() - firstDueAt) };
    },

    /** Gives up a batch of mails that have expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const now = clock();
      const reason = "expired";
      const { dropped, more } = await storage.write(async (tx) => {
        const swept = await sweepMails(tx, now);
        for (const mail of swept.dropped) await recordDrop(tx, mail, reason, now);
        return swept;
      });
      for (const mail of dropped) logDrop(mail, reason);
      return more;
    },
  };
}

export function mailContext(id: string): string {
  return `mails ${id}`;
}
