import type { Audit } from "../audit/audit.ts";
import { clockSkew, day, hour, minute, second, type Clock } from "../lib/clock.ts";
import { canonicalEmail } from "../lib/email.ts";
import type { Log } from "../lib/log.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { afterCommit } from "../storage/transaction.ts";
import type { Mail, Sending } from "./mail.ts";
import {
  claimMails,
  countWaitingMails,
  findMail,
  hasDueMail,
  hastenMails,
  insertMail,
  leaseLasts,
  measureMailBacklog,
  postponeMail,
  removeMail,
  removeProofsOf,
  sweepMails,
  type DroppedMail,
  type MailRow,
  type WaitingMails,
} from "./store.ts";

/** A mail claimed by this process until `leaseUntil`. */
export type ClaimedMail = { id: string; leaseUntil: number; attempts: number; createdAt: number; mail: Mail };

/** A later notice would be useless. */
const noticesLast = 3 * day;
/** The waits after the first, second, … failure; the last one repeats until the mail expires. */
const delays = [10 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour];

export type MailService = ReturnType<typeof createMail>;

/**
 * The outbox. `enqueue` writes a row in the caller's transaction; `delivery.ts` sends what is
 * committed. No request waits for a mail server, and no mail is lost with a process. A mail may
 * arrive twice if a process dies between sending and recording it, but is never sent twice at once.
 */
export function createMail(deps: {
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  clock: Clock;
  random: Random;
  log: Log;
  /** Whether there is a mail server, or the mailbox of development mode. */
  available: boolean;
}) {
  const { storage, keyring, audit, clock, random, log, available } = deps;
  const actor = { kind: "service", name: "mail" } as const;
  let onQueued = (): void => {};
  let lookedAt = Number.POSITIVE_INFINITY;
  const hasKey = keyring.watch(deps, "mail");

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

  type Lease = { id: string; leaseUntil: number };

  /** `stays`: checks again, within the transaction, whether to keep it. */
  async function drop(lease: Lease, reason: string, stays?: (tx: Handle) => Promise<boolean>): Promise<void> {
    const now = clock();
    const dropped = await storage.write(async (tx) => {
      if (await stays?.(tx)) return undefined;
      const removed = await removeMail(tx, lease);
      if (removed) await recordDrop(tx, removed, reason, now);
      return removed;
    });
    if (dropped) logDrop(dropped, reason);
  }

  /**
   * A master key rotation may be re-encrypting it. Then a process with the new key sends it after
   * the lease.
   */
  async function dropUnreadable(lease: Lease): Promise<void> {
    await drop(lease, "cannot be decrypted", async (tx) => {
      if (!(await keyring.knowsAll(tx))) return true;
      const row = await findMail(tx, lease.id);
      return row !== undefined && open(row) !== undefined;
    });
  }

  function open({ id, encryptedMail }: MailRow): Mail | undefined {
    try {
      return JSON.parse(keyring.decrypt(encryptedMail, mailContext(id))) as Mail;
    } catch {
      return undefined;
    }
  }

  return {
    /**
     * Whether mail can be sent. If so, addresses are verified by mail; if not, offer nothing that
     * needs it.
     */
    available,

    /**
     * Queues a mail, which is sent once the caller's transaction is committed. Database work only,
     * so call it inside `storage.write`. Without a mail server (outside of development), it writes
     * nothing and logs one line.
     */
    async enqueue(tx: Handle, mail: Mail, now: number): Promise<void> {
      const { appId, userId, kind, to } = mail;
      if (!available) {
        log.info("mail not sent: no SMTP server is configured", { kind, appId });
        return;
      }
      // The address becomes an SMTP command and a header, so only a valid one may get there.
      if (canonicalEmail(to) !== to) throw new Error("the recipient is not a canonical address");
      const id = newId("mail", now, random);
      await insertMail(tx, {
        id,
        appId,
        userId,
        kind,
        encryptedMail: await keyring.encrypt(tx, JSON.stringify(mail), mailContext(id)),
        attempts: 0,
        nextAttemptAt: now,
        leaseUntil: null,
        createdAt: now,
        expiresAt: "expiresAt" in mail ? mail.expiresAt : now + noticesLast,
        lastError: null,
      });
      afterCommit(tx, () => onQueued());
    },

    /** Removes a user's mails that wait with a link or a code. */
    async withdrawProofs(tx: Handle, userId: string): Promise<void> {
      await removeProofsOf(tx, userId);
    },

    /**
     * Calls one listener for every mail queued by this process, after its transaction is committed.
     */
    whenQueued(listener: () => void): void {
      onQueued = listener;
    },

    /** Claims at most `most` due mails for this process; each must be settled. */
    async claim(most: number): Promise<ClaimedMail[]> {
      const now = clock();
      // At the start too: the previous process may have had another clock.
      if (now < lookedAt - clockSkew) await storage.write((tx) => hastenMails(tx, now));
      lookedAt = now;
      if (!(await hasDueMail(storage.reader, now)) || !(await hasKey())) return [];
      const rows = await storage.write((tx) => claimMails(tx, { now, most, leaseUntil: now + leaseLasts }));
      const claimed: ClaimedMail[] = [];
      for (const row of rows) {
        const { id, attempts, createdAt } = row;
        const lease = { id, leaseUntil: now + leaseLasts };
        const mail = open(row);
        if (mail) claimed.push({ ...lease, attempts, createdAt, mail });
        else await dropUnreadable(lease);
      }
      return claimed;
    },

    /**
     * Records the result of a claimed mail: removes it if sent or permanently refused, else
     * schedules a retry.
     */
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
      const now = clock();
      const later = { nextAttemptAt: now + delay, lastError: sending.reason };
      await storage.write((tx) => postponeMail(tx, claimed, later, now));
      const { kind, appId } = mail;
      log.warn("mail not sent yet", {
        kind,
        appId,
        attempts,
        reason: sending.reason,
        retryAfterSeconds: delay / second,
      });
    },

    /** The mails that are not sent yet. */
    async pending(): Promise<WaitingMails> {
      return await countWaitingMails(storage.reader);
    },

    /**
     * How many wait (at most 10,000), and for how many milliseconds the first one has been due.
     */
    async backlog(): Promise<{ waiting: number; overdue: number }> {
      const { waiting, firstDueAt } = await measureMailBacklog(storage.reader);
      return { waiting, overdue: firstDueAt === null ? 0 : Math.max(0, clock() - firstDueAt) };
    },

    /** Drops a batch of expired mails; true if more may be left. */
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
