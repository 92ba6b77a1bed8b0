import { part, type Context } from "../../runtime/context.ts";
import { mailbox } from "./mailbox.ts";
import { createSmtpTransport } from "./smtp.ts";

/** How mails are sent; undefined without a mail server outside development mode. */
export const mailTransport = part((ctx: Context) =>
  ctx.config.mail ? createSmtpTransport(ctx.config.mail) : mailbox(ctx),
);
