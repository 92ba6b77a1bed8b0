/** Sets a new password for someone who has a link or code of `ResetLinks`. Signs nobody in. */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as audit from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange, updateUser } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import * as firstProof from "../identities/first-proof.ts";
import type { Unproven } from "../identities/first-proof.ts";
import * as methods from "../methods/service.ts";
import * as passwords from "../passwords/service.ts";
import type { EmailToken } from "./email-token.ts";
import * as notices from "./notices.ts";
import * as emailTokens from "./service.ts";
import { consumeEmailToken } from "./store.ts";

/** The purpose of a link; undefined if it is no longer valid. Changes nothing. */
export async function find(
  ctx: Context,
  secret: string,
): Promise<{ token: EmailToken; user: User; application: Application } | undefined> {
  const token = await emailTokens.find(ctx, secret, "reset");
  const user = token && token.userId !== null ? await users.find(ctx.storage.reader, token.userId) : undefined;
  const application = token && (await applications.find(ctx, ctx.storage.reader, token.appId));
  if (!token || !user || user.disabledAt !== null || !application?.authMethods.password.enabled) return undefined;
  return { token, user, application };
}

/**
 * What the token also removes, because it was added before the address was proven. Undefined if
 * nothing. (Every new password replaces the old one and ends the logins.)
 */
export async function removes(ctx: Context, { email, userId }: EmailToken): Promise<Unproven | undefined> {
  const user = email === "" || userId === null ? undefined : await users.find(ctx.storage.reader, userId);
  const unproven =
    user && !user.emailVerified ? await firstProof.unprovenOf(ctx, ctx.storage.reader, user.id) : undefined;
  const { app = false, passkeys = 0, programs = 0, providers = [], companies = [] } = unproven ?? {};
  return app || passkeys + programs + providers.length + companies.length > 0 ? unproven : undefined;
}

/**
 * Consumes the token, sets the password and ends every login. A mailed token proves its
 * address; if it was unproven, everything else that was added to the account is removed. False
 * if the token or its user is gone.
 */
export async function finish(ctx: Context, token: EmailToken, hash: string, source: RequestSource): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const user = token.userId === null ? undefined : await lockUserForChange(tx, token.userId, now);
    const used = await consumeEmailToken(tx, token, now);
    if (!used || user?.disabledAt !== null) return false;
    const { id: userId, appId, email, emailVerified } = user;
    if (used.email !== "" && used.email !== email) return false;
    const before = await methods.list(tx, userId);
    const isFirstProof = used.email !== "" && !emailVerified;
    if (isFirstProof) {
      await firstProof.removeUnproven(ctx, tx, user, { by: "mail", source }, now);
      await users.verifyEmail(ctx, tx, user, used.email, source, now);
    }
    // A mail alone made the only method: for a day, it opens no owner's act.
    if (isFirstProof || before.length === 0) await updateUser(tx, userId, { mailedMethodAt: now, updatedAt: now });
    await passwords.forgetFailures(ctx, tx, user);
    const { methodId, changes } = await passwords.set(ctx, tx, userId, hash, now);
    // After the password change, so that no proof with the old one remains.
    const actor = { kind: "user", name: userId } as const;
    const end = { reason: "password-reset", by: { actor, source } } as const;
    const endedLogins = await ends.endAccess(ctx, tx, userId, end, now);
    if (changes) await users.recordUpdate(ctx, tx, user, source, now);
    if (before.some(({ type }) => type === "password")) await notices.passwordChanged(ctx, tx, { user, source }, now);
    else {
      const event = { kind: "method.added", appId, userId, authMethod: "password", source, sessionId: null } as const;
      await events.record(ctx, tx, event, now);
      await notices.methodAdded(ctx, tx, { user, source }, { type: "password", name: null }, now);
    }
    const details = { methodId, endedLogins, isFirstProof };
    await audit.record(
      ctx,
      tx,
      { actor, action: "password.reset", result: "success", appId, userId, source, details },
      now,
    );
    return true;
  });
}
