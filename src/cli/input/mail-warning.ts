import type { Context } from "../../runtime/context.ts";
import type { Cli } from "../cli.ts";

/** Warns about codes by mail without a mail server: no page offers them. */
export async function warnWithoutMail(cli: Cli, ctx: Context): Promise<void> {
  const mail = await import("../../records/mail/service.ts");
  if (mail.available(ctx)) return;
  await cli.note(
    "Nobody can sign in with a mailed code yet: no mail server is set. To add one: mail.smtpUrl, mail.from",
  );
}
