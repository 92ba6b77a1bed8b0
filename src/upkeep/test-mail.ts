import * as applications from "../applications/service.ts";
import { minute, second } from "../lib/clock.ts";
import { AppError, applicationNotFound } from "../lib/errors.ts";
import { checkedEmail } from "../lib/user-fields.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import { checkedKind, checkedLanguage, sampleMail } from "../records/mail/sample.ts";
import * as mail from "../records/mail/service.ts";
import type { Context } from "../runtime/context.ts";
import type { MailKind } from "../storage/column-types.ts";

const samplesPerMinute = 10;

/**
 * Queues a mail with sample data, so that an operator sees one arrive, or why it does not. Throws
 * APP_NOT_FOUND, INVALID_REQUEST, CONFLICT without a mail server, and RATE_LIMITED.
 */
export async function sendSample(
  ctx: Context,
  { appId, to, kind, language }: { appId: string; to: string; kind: string; language: string },
  by: By,
): Promise<{ appId: string; kind: MailKind; language: string }> {
  const now = ctx.clock();
  const [checked, locale, email] = [checkedKind(kind), checkedLanguage(language), checkedEmail(to, "to")];
  if (!(await applications.find(ctx, ctx.storage.reader, appId))) throw applicationNotFound();
  if (!mail.available(ctx))
    throw new AppError("CONFLICT", "There is no mail server. Set mail.smtpUrl and mail.from first.");
  const sample = sampleMail(checked, { appId, to: email, locale, baseUrl: ctx.baseUrl, now });
  await ctx.storage.write(async (tx) => {
    const recent = await audit.recent(tx, { appId, action: "mail.test", since: now - minute + 1 });
    if (recent.length >= samplesPerMinute)
      throw new AppError("RATE_LIMITED", `At most ${samplesPerMinute} test mails a minute; wait a moment.`, {
        retryAfterSeconds: minute / second,
      });
    await mail.enqueue(ctx, tx, sample, now);
    const details = { kind: checked, language: locale };
    await audit.record(ctx, tx, { ...by, action: "mail.test", result: "success", appId, details }, now);
  });
  return { appId, kind: checked, language: locale };
}
