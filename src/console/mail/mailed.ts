import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";

/** The notice of an act that mails something: `what` is "The invitation". */
export async function mailedNotice(ctx: Context, what: string): Promise<string> {
  const fails = (await mail.countFailing(ctx, undefined)) > 0;
  return fails ? `${what} is waiting: mails are not being sent right now.` : `${what} is on its way.`;
}
