/**
 * Links that restore an earlier address, mailed to it when it is replaced (docs/decisions/0046).
 */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { isOver } from "../../lib/clock.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import type { EmailToken } from "./email-token.ts";
import * as notices from "./notices.ts";
import { undoLinkLasts } from "./rules.ts";
import * as emailTokens from "./service.ts";

function slotOf(ctx: Context, userId: string, email: string): string {
  return emailTokens.slot(ctx, "undo", userId, email);
}

/**
 * Mails the locked user's replaced address a link that restores it, and returns whether it did. Not
 * if the user returns to an earlier address, which counts as its undo, nor if the replaced one was
 * never verified: it may be a stranger's.
 */
export async function offer(
  ctx: Context,
  tx: Handle,
  user: User,
  newEmail: string,
  origin: RequestSource,
  now: number,
): Promise<boolean> {
  const { id: userId, appId, email, locale } = user;
  const earlier = await emailTokens.waiting(ctx, tx, slotOf(ctx, userId, newEmail));
  if (earlier) {
    await emailTokens.endAll(tx, userId, { keepUndosBefore: earlier.createdAt });
    await notices.addressRestored(ctx, tx, user, now);
    return false;
  }
  if (email === null || !user.emailVerified) return false;
  const token = { slot: slotOf(ctx, userId, email), purpose: "undo", appId, userId, email } as const;
  const { link } = await emailTokens.issue(ctx, tx, { ...token, hasNoCode: true }, now);
  const common = { appId, userId, to: email, locale, origin, expiresAt: now + undoLinkLasts };
  await mail.enqueue(ctx, tx, { ...common, kind: "address-changed", link }, now);
  return true;
}

/** What a link restores; undefined if it is no longer valid. */
export async function find(
  ctx: Context,
  secret: string,
): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
  const token = await emailTokens.find(ctx, secret, "undo");
  if (!token || isOver(token.createdAt + undoLinkLasts, undoLinkLasts, ctx.clock())) return undefined;
  const user = token.userId === null ? undefined : await users.find(ctx.storage.reader, token.userId);
  const application = await applications.find(ctx, ctx.storage.reader, token.appId);
  if (!user || user.disabledAt !== null || user.email === token.email || !application) return undefined;
  return { token, user, application };
}
