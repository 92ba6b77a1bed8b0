import type { Application } from "../applications/application.ts";
import { second } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Meter } from "../lib/meter.ts";
import type { MailMessage, Sending, Transport } from "./mail.ts";
import { renderMail } from "./render.ts";
import type { ClaimedMail, MailService } from "./service.ts";
import { mostAtOnce } from "./smtp.ts";

/** Every process looks that often, whoever put a mail in: a command, another node, a transaction that took long. */
const looksEvery = second;
/** A transaction tells of its mail before it is committed, so we look twice. Neither look is needed for a mail to be sent. */
const looksAfterQueued = [25, 250];
const patienceWhenStopping = 5 * second;

/** Sends what the outbox holds, in the serving process only. `transport` undefined: nothing is ever sent. */
export function createMailDelivery(deps: {
  mail: MailService;
  findApplication(id: string): Promise<Application | undefined>;
  transport: Transport | undefined;
  baseUrl: string;
  log: Log;
  meter: Meter;
}) {
  const { mail, findApplication, transport, baseUrl, log, meter } = deps;
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let stopped = true;
  let failing = false;

  async function messageOf(claimed: ClaimedMail): Promise<MailMessage | undefined> {
    const { id, createdAt } = claimed;
    const application = await findApplication(claimed.mail.appId);
    // The rows of an application that is gone are gone with it.
    return application && renderMail(claimed.mail, { id, application, baseUrl, askedAt: createdAt });
  }

  async function send(claimed: ClaimedMail, { send: handOver }: Transport): Promise<Sending> {
    try {
      const message = await messageOf(claimed);
      return message ? await handOver(message) : { result: "refused", reason: "its application is gone" };
    } catch (error) {
      log.error("a mail could not be made", error, { kind: claimed.mail.kind, appId: claimed.mail.appId });
      return { result: "failed", reason: "could not be made" };
    }
  }

  async function deliver(claimed: ClaimedMail, by: Transport): Promise<void> {
    const sending = await send(claimed, by);
    meter.mailAttempt(sending.result);
    try {
      await mail.settle(claimed, sending);
    } catch (error) {
      // The lease runs out, and the mail is sent again: better twice than not at all.
      log.error("the outcome of a mail could not be noted", error, { kind: claimed.mail.kind });
    }
  }

  async function claimAndSend(by: Transport): Promise<void> {
    const most = mostAtOnce - underWay.size;
    if (most === 0) return;
    for (const claimed of await mail.claim(most)) {
      const delivery = deliver(claimed, by).finally(() => {
        underWay.delete(delivery);
        look();
      });
      underWay.add(delivery);
    }
  }

  /** Looks for due mails, one look at a time; a call during a look makes another one follow it. */
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
          // Once, and not every second for as long as the database is away.
          if (!failing) log.error("the outbox cannot be read", error);
          failing = true;
        },
      )
      .then(() => {
        looking = undefined;
        if (lookAgain && !failing) look();
      });
  }

  function lookIn(milliseconds: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      look();
    }, milliseconds);
    timers.add(timer);
  }

  let polling: NodeJS.Timeout | undefined;
  return {
    start(): void {
      if (!transport) return;
      stopped = false;
      polling = setInterval(look, looksEvery);
      mail.whenQueued(() => {
        if (!stopped) for (const milliseconds of looksAfterQueued) lookIn(milliseconds);
      });
      look();
    },

    /** Looks at once, for whoever has moved the clock. */
    look,

    /** Sends nothing more. Waits for what is being sent, at most a few seconds; what is cut off then is sent again by whoever runs next. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(polling);
      for (const timer of timers) clearTimeout(timer);
      await looking;
      const patience = setTimeout(() => transport?.close(), patienceWhenStopping);
      await Promise.all(underWay);
      clearTimeout(patience);
      transport?.close();
    },
  };
}
