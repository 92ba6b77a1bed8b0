import type { Clock } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { MailMessage, Sending, Transport } from "./mail.ts";

const maxKept = 100;

export type MailboxEntry = MailMessage & { arrivedAt: number };

/** Keeps the mail of development mode in memory, newest first, for the pages at /dev/mail. */
export class Mailbox implements Transport {
  #entries: readonly MailboxEntry[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(message: MailMessage): Promise<Sending> {
    // Sent again because recording it failed: replace the first copy.
    const others = this.#entries.filter(({ id }) => id !== message.id);
    this.#entries = [{ ...message, arrivedAt: this.#clock() }, ...others].slice(0, maxKept);
    return { result: "sent", answer: "kept in memory, at /dev/mail" };
  }

  list(): readonly MailboxEntry[] {
    return this.#entries;
  }

  find(id: string): MailboxEntry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  clear(): void {
    this.#entries = [];
  }

  close(): void {}
}

/** Receives the mails of development mode without a mail server; undefined otherwise. */
export const mailbox = part(({ config, clock }: Context) =>
  config.dev && !config.mail ? new Mailbox(clock) : undefined,
);
