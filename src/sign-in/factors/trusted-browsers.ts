/** Browsers in which a user said not to be asked for the second factor. */
import { isCheckDue } from "../../factors/service.ts";
import {
  endTrustByDigest,
  findSecondFactor,
  insertTrustedBrowser,
  isTrustedBrowser,
  type FactorState,
} from "../../factors/store.ts";
import { day } from "../../lib/clock.ts";
import { newId } from "../../lib/random.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import type { User } from "../../users/user.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** Different for each user, so that rows do not show who shares a browser. */
function digestFor(ctx: Context, { id }: User, cookie: string): string {
  return ctx.keyring.mac("browser", "trusted", id, cookie).toString("base64url");
}

function takesTrusted({ application: { settings } }: SignInAttempt): boolean {
  return (settings.trustBrowsersDays ?? 0) > 0;
}

/** Never when the factor is due to be checked, or the application takes no trusted browsers now. */
export async function isTrusted(
  ctx: Context,
  tx: Handle,
  { user, state, attempt }: { user: User; state: FactorState; attempt: SignInAttempt },
  now: number,
): Promise<boolean> {
  if (!takesTrusted(attempt) || isCheckDue(state, now)) return false;
  const digest = digestFor(ctx, user, attempt.trustedBrowser(user.id));
  return await isTrustedBrowser(tx, { userId: user.id, digest, epoch: state.epoch, now });
}

/**
 * Trusts the browser of this attempt from now on, by a new cookie (its digest): somebody may have
 * planted or copied the others. Does nothing if the application allows no trusted browsers.
 */
export async function trust(
  ctx: Context,
  tx: Handle,
  { user, attempt, cookie }: { user: User; attempt: SignInAttempt; cookie: string },
  now: number,
): Promise<void> {
  const factor = await findSecondFactor(tx, user.id);
  if (!factor || !takesTrusted(attempt)) return;
  const { trustBrowsersDays: days = 0 } = attempt.application.settings;
  await endTrustByDigest(tx, user.id, digestFor(ctx, user, attempt.trustedBrowser(user.id)));
  await insertTrustedBrowser(tx, {
    id: newId("brw", now, ctx.random),
    userId: user.id,
    digest: digestFor(ctx, user, cookie),
    epoch: factor.epoch,
    userAgent: attempt.source.userAgent,
    createdAt: now,
    expiresAt: now + days * day,
  });
}
