import type { Clock } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { MailMessage, Transport } from "./mail.ts";

const maxKept = 100;

export type MailboxEntry = MailMessage & { arrivedAt: number };

export type Mailbox = ReturnType<typeof createMailbox>;

/** Keeps the mail of development mode in memory, newest first, for the pages at /dev/mail. */
export function createMailbox({ clock }: { clock: Clock }) {
  let entries: MailboxEntry[] = [];
  const transport: Transport = {
    async send(message) {
      // Sent again because recording it failed: replace the first copy.
      const others = entries.filter(({ id }) => id !== message.id);
      entries = [{ ...message, arrivedAt: clock() }, ...others].slice(0, maxKept);
      return { result: "sent" };
    },
    close() {},
  };
  return {
    transport,
    list: (): readonly MailboxEntry[] => entries,
    clear(): void {
      entries = [];
    },
    find: (id: string): MailboxEntry | undefined => entries.find((entry) => entry.id === id),
  };
}

/** Receives the mails of development mode without a mail server; undefined otherwise. */
export const mailbox = part(({ config, clock }: Context) =>
  config.dev && !config.mail ? createMailbox({ clock }) : undefined,
);
