import type { Clock } from "../lib/clock.ts";
import type { MailMessage, Transport } from "../mail/mail.ts";

const mostKept = 100;

export type MailboxEntry = MailMessage & { arrivedAt: number };

export type Mailbox = ReturnType<typeof createMailbox>;

/** Where mail goes in development mode: into memory, the newest first, for the pages at /dev/mail. */
export function createMailbox({ clock }: { clock: Clock }) {
  let entries: MailboxEntry[] = [];
  const transport: Transport = {
    async send(message) {
      // Sent again after a failed note: the same mail, not another one.
      const others = entries.filter(({ id }) => id !== message.id);
      entries = [{ ...message, arrivedAt: clock() }, ...others].slice(0, mostKept);
      return { result: "sent" };
    },
    close() {},
  };
  return {
    transport,
    list: (): readonly MailboxEntry[] => entries,
    find: (id: string): MailboxEntry | undefined => entries.find((entry) => entry.id === id),
  };
}
