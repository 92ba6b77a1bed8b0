import * as applications from "../../applications/service.ts";
import { second } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { MailMessage, Sending, Transport } from "./mail.ts";
import { renderMail } from "./render.ts";
import * as mail from "./service.ts";
import type { ClaimedMail } from "./service.ts";
import { maxAtOnce } from "./smtp.ts";
import { mailTransport } from "./transport.ts";

/** How often every process checks for mails, including those of commands and other nodes. */
const looksEvery = second;
/** Mails that this process adds within this time are claimed in one transaction. */
const gathersFor = 25;
const patienceWhenStopping = 5 * second;

/**
 * Sends the mails in the outbox, in the serving process only. `transport` undefined: nothing is
 * ever sent.
 */
export const mailDelivery = part(openMailDelivery);

function openMailDelivery(ctx: Context) {
  const transport = mailTransport(ctx);
  const underWay = new Set<Promise<void>>();
  /** The mails being sent, by id. */
  const inHand = new Map<string, ClaimedMail>();
  let gathering: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let stopped = true;
  let failing = false;

  async function messageOf(claimed: ClaimedMail): Promise<MailMessage | undefined> {
    const { id, createdAt } = claimed;
    const application = await applications.find(ctx, ctx.storage.reader, claimed.mail.appId);
    // A deleted application's mails are deleted with it.
    return application && renderMail(claimed.mail, { id, application, baseUrl: ctx.baseUrl, askedAt: createdAt });
  }

  async function send(claimed: ClaimedMail, by: Transport): Promise<Sending> {
    try {
      const message = await messageOf(claimed);
      return message ? await by.send(message) : { result: "refused", reason: "its application was deleted" };
    } catch (error) {
      ctx.log.error("creating a mail failed", error, { kind: claimed.mail.kind, appId: claimed.mail.appId });
      return { result: "failed", reason: "could not be created" };
    }
  }

  async function deliver(claimed: ClaimedMail, by: Transport): Promise<void> {
    const sending = await send(claimed, by);
    ctx.meter.mailAttempt(sending.result);
    try {
      await mail.settle(ctx, claimed, sending);
    } catch (error) {
      // The lease expires and the mail is sent again: twice is better than never.
      ctx.log.error("recording the outcome of a mail failed", error, { kind: claimed.mail.kind });
    }
  }

  async function claimAndSend(by: Transport): Promise<void> {
    const most = maxAtOnce - underWay.size;
    if (most === 0) return;
    for (const claimed of await mail.claim(ctx, most)) {
      const lease = inHand.get(claimed.id);
      if (lease) {
        // The clock passed our own lease, or was set back: the attempt continues under the new
        // lease.
        lease.leaseUntil = claimed.leaseUntil;
        continue;
      }
      inHand.set(claimed.id, claimed);
      const delivery = deliver(claimed, by).finally(() => {
        underWay.delete(delivery);
        inHand.delete(claimed.id);
        look();
      });
      underWay.add(delivery);
    }
  }

  /**
   * Looks for due mails, one search at a time; a call during a search starts another one
   * afterwards.
   */
  function look(): void {
    if (stopped || !transport) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    lookAgain = false;
    looking = claimAndSend(transport)
      .then(
        () => {
          failing = false;
        },
        (error: unknown) => {
          // Log once, not every second while the database is unavailable.
          if (!failing) ctx.log.error("reading the mail outbox failed", error);
          failing = true;
        },
      )
      .then(() => {
        looking = undefined;
        if (lookAgain && !failing) look();
      });
  }

  function gather(): void {
    if (stopped) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      look();
    }, gathersFor);
  }

  let polling: NodeJS.Timeout | undefined;
  return {
    start(): void {
      if (!transport) return;
      stopped = false;
      polling = setInterval(look, looksEvery);
      mail.whenQueued(ctx, gather);
      look();
    },

    /** Looks at once, after the clock was changed. */
    look,

    /**
     * Stops sending. Waits a few seconds for mails being sent; the next process resends those that
     * were cut off.
     */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(polling);
      clearTimeout(gathering);
      gathering = undefined;
      await looking;
      const patience = setTimeout(() => transport?.close(), patienceWhenStopping);
      await Promise.all(underWay);
      clearTimeout(patience);
      transport?.close();
    },
  };
}
