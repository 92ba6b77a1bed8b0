/** Issues links and codes for a new password: mailed to the owner, or made by an operator. */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import { aggregatedEvents } from "../../records/audit/aggregated-events.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { refuseDisabled, type User } from "../../users/user.ts";
import * as allowance from "../../records/mail/allowance.ts";
import type { EmailToken } from "./email-token.ts";
import { emailTokenLasts } from "./rules.ts";
import * as emailTokens from "./service.ts";
import type { Asker } from "./service.ts";

/** The result of an operator's reset: `link` is null if it was mailed. */
export type ResetLinkAnswer = {
  userId: string;
  email: string | null;
  link: string | null;
  sent: boolean;
  expiresAt: string;
};

function slotOf(ctx: Context, appId: string, account: string): string {
  return emailTokens.slot(ctx, "reset", appId, account);
}

/** Throws USER_NOT_FOUND, or CONFLICT if a new password would not allow signing in. */
async function resettable(ctx: Context, userId: string): Promise<User> {
  const user = await users.find(ctx.storage.reader, userId);
  const application = user && (await applications.find(ctx, ctx.storage.reader, user.appId));
  if (!user || !application) throw new AppError("USER_NOT_FOUND", "There is no user with this id.");
  refuseDisabled(user);
  if (!application.authMethods.password.enabled)
    throw new AppError("CONFLICT", "The application does not allow sign-in with passwords.");
  return user;
}

/**
 * Mails the owner of this canonical address a link and a code. Unknown addresses and disabled users
 * cost the same writes. Above the allowance, nothing is sent while the last mail is valid. Returns
 * whether it was within: only then the requesting sign-in is kept for the mail.
 */
export async function ask(
  ctx: Context,
  asked: { application: Application; email: string; sessionId: string } & Asker,
): Promise<boolean> {
  const { application, email, sessionId, source, lang } = asked;
  const appId = application.id;
  const now = ctx.clock();
  const owner = await users.findByEmail(ctx.storage.reader, appId, email);
  const user = owner?.disabledAt === null ? owner : undefined;
  const userId = user?.id ?? null;
  const about = { app: { id: appId }, userId, source, details: {} };
  aggregatedEvents(ctx).note({ action: "password.reset-asked", result: "success", ...about });
  return await ctx.storage.write(async (tx) => {
    const slot = slotOf(ctx, appId, email);
    // Always sent if no link is valid, so that other people's requests cannot lock the owner out.
    const mustBeSent = (await emailTokens.waiting(ctx, tx, slot)) === undefined;
    const count = mustBeSent ? allowance.countSent : allowance.count;
    const isWithin = await count(ctx, tx, { purpose: "reset", appId, email, source }, now);
    if (!isWithin && !mustBeSent) return false;
    const token = { slot, purpose: "reset", appId, userId, email, sessionId } as const;
    const proof = await emailTokens.issue(ctx, tx, token, now);
    if (user) {
      const common = { appId, userId, to: email, locale: user.locale ?? lang, origin: source };
      await mail.enqueue(ctx, tx, { ...common, kind: "reset", ...proof }, now);
    } else {
      // Instead of the mail: as many writes as for a user.
      await emailTokens.issue(ctx, tx, token, now);
    }
    return isWithin;
  });
}

/** The token of this address, if this is its code. `code`: eight digits (`typedCode`). */
export async function tryCode(
  ctx: Context,
  appId: string,
  email: string,
  code: string,
  source: RequestSource,
): Promise<EmailToken | "wrong" | "over"> {
  return await emailTokens.tryCode(ctx, slotOf(ctx, appId, email), code, source);
}

/** A link for somebody who has just proven this address, in the transaction of that proof. */
export async function issueFor(
  ctx: Context,
  tx: Handle,
  user: { id: string; appId: string; email: string },
  now: number,
): Promise<string> {
  const { id: userId, appId, email } = user;
  const token = { slot: slotOf(ctx, appId, email), purpose: "reset", appId, userId, email } as const;
  return (await emailTokens.issue(ctx, tx, token, now)).link;
}

/**
 * A link for an operator to hand over, or to mail with `send`. A handed-over link proves no
 * address. Throws USER_NOT_FOUND, CONFLICT, INVALID_CONFIG if `send` is not possible.
 */
export async function linkFor(
  ctx: Context,
  userId: string,
  { send, dryRun }: { send: boolean; dryRun: boolean },
  actor: Actor,
): Promise<ResetLinkAnswer> {
  const user = await resettable(ctx, userId);
  const { appId, email, locale } = user;
  if (send && email === null) throw new AppError("CONFLICT", "The user has no email address.");
  if (send && !mail.available(ctx))
    throw new AppError("INVALID_CONFIG", "--send: no mail server is set (mail.smtpUrl)");
  const now = ctx.clock();
  const planned = { userId, email, sent: send, expiresAt: isoTime(now + emailTokenLasts.reset) };
  if (dryRun) return { ...planned, link: null };
  const link = await ctx.storage.write(async (tx) => {
    const proves = send && email !== null ? email : "";
    const token = {
      slot: slotOf(ctx, appId, email ?? userId),
      purpose: "reset",
      appId,
      userId,
      email: proves,
    } as const;
    const proof = await emailTokens.issue(ctx, tx, token, now);
    const event = { actor, action: "user.reset-link", result: "success", appId, userId } as const;
    await audit.record(ctx, tx, { ...event, details: { sent: send } }, now);
    if (!send) return proof.link;
    const source = { ipAddress: null, userAgent: null };
    const common = { appId, userId, to: proves, locale, origin: source };
    await mail.enqueue(ctx, tx, { ...common, kind: "reset", ...proof }, now);
    return null;
  });
  return { ...planned, link };
}
