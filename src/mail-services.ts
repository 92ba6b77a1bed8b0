import type { Foundation } from "./core.ts";
import { createMailbox } from "./dev/mailbox.ts";
import { createMailAllowance } from "./email-tokens/allowance.ts";
import { createMailDelivery } from "./mail/delivery.ts";
import { createNotices } from "./mail/notices.ts";
import { createMail } from "./mail/service.ts";
import { createSmtpTransport } from "./mail/smtp.ts";

/** What mails are written and sent with; `services.ts` creates it. */
export function createMailServices(foundation: Foundation) {
  const { applications, config, baseUrl, clock, log, meter } = foundation;
  const mailbox = config.dev && !config.mail ? createMailbox({ clock }) : undefined;
  const mail = createMail({ ...foundation, available: (config.mail ?? mailbox) !== undefined });
  const allowance = createMailAllowance({ ...foundation, mailsPerHour: mailbox ? null : config.mailsPerHour });
  return {
    /** Receives the mails of development mode without a mail server. */
    mailbox,
    mail,
    mailDelivery: createMailDelivery({
      mail,
      findApplication: (id) => applications.find(id),
      transport: config.mail ? createSmtpTransport(config.mail) : mailbox?.transport,
      baseUrl,
      log,
      meter,
    }),
    allowance,
    notices: createNotices({ mail, allowance }),
  };
}
