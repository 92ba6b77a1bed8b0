import { isoTime } from "../../lib/clock.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Visit } from "../route.ts";

/** The notice of an act that mails something: `what` is "The invitation". */
export async function mailedNotice(ctx: Context, { operator }: Visit, what: string): Promise<string> {
  const since = await mail.failingSince(ctx, operator.appId);
  return since === undefined ? `${what} is on its way.` : `${what} is waiting: mail started to fail ${isoTime(since)}.`;
}
