/** Links by which an operator lets a person sign in who lost their second factor. */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { isoTime } from "../../lib/clock.ts";
import { AppError, invalidRequest, userNotFound } from "../../lib/errors.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { lockUser } from "../../users/store.ts";
import * as users from "../../users/service.ts";
import { refuseDisabled, type User } from "../../users/user.ts";
import * as factors from "../../factors/service.ts";
import type { EmailToken } from "./email-token.ts";
import * as notices from "./notices.ts";
import { emailTokenLasts } from "./rules.ts";
import * as emailTokens from "./service.ts";

/** `link` is null for a dry run. */
export type RecoveryLinkAnswer = { userId: string; email: string | null; link: string | null; expiresAt: string };

async function refuseUseless(handle: Handle, user: User): Promise<void> {
  refuseDisabled(user);
  const { hasTotp, isBlocked } = await factors.factsOf(handle, user.id);
  if (!hasTotp && !isBlocked) throw new AppError("CONFLICT", "The user has no second factor.");
}

/**
 * A link for the operator to hand over. After the person's first proof, it removes the second
 * factor and is consumed. A new link replaces the previous one; the person is notified by mail.
 * `lasts`: milliseconds. Throws USER_NOT_FOUND, INVALID_REQUEST, CONFLICT.
 */
export async function linkFor(
  ctx: Context,
  userId: string,
  { lasts, dryRun }: { lasts: number; dryRun: boolean },
  actor: Actor,
): Promise<RecoveryLinkAnswer> {
  if (lasts <= 0 || lasts > emailTokenLasts.recovery) throw invalidRequest("expires", "at most 24h");
  const now = ctx.clock();
  return await ctx.storage.write(async (tx, rollBack) => {
    const user = await lockUser(tx, userId);
    if (!user) throw userNotFound();
    await refuseUseless(tx, user);
    const { appId, email } = user;
    const answer = { userId, email, link: null, expiresAt: isoTime(now + lasts) };
    if (dryRun) throw rollBack(answer);
    const slot = emailTokens.slot(ctx, "recovery", userId);
    const token = {
      slot,
      purpose: "recovery",
      appId,
      userId,
      email: "",
      hasNoCode: true,
      endsBy: now + lasts,
    } as const;
    const { link } = await emailTokens.issue(ctx, tx, token, now);
    const details = { expiresAt: answer.expiresAt };
    const event = { actor, action: "user.recovery-link", result: "success", appId, userId, details } as const;
    await audit.record(ctx, tx, event, now);
    await notices.factorNotice(ctx, tx, { user, source: undefined }, { kind: "recovery-link-made" }, now);
    return { ...answer, link };
  });
}

/** What a link opens; undefined if it is no longer valid. Changes nothing. */
export async function find(
  ctx: Context,
  secret: string,
): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
  const token = await emailTokens.find(ctx, secret, "recovery");
  const { reader } = ctx.storage;
  const user = token && (await users.find(reader, token.userId ?? ""));
  const application = token && (await applications.find(ctx, reader, token.appId));
  return user?.disabledAt === null && application ? { token, user, application } : undefined;
}
