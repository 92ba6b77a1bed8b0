/** Decides which proofs are recent and strong enough to change an account. */
import type { Application } from "../applications/application.ts";
import { acrOf, isEnough, proofIsFresh, provenTime, restsOnPassword } from "../factors/assurance.ts";
import * as factors from "../factors/service.ts";
import * as invites from "../credentials/mailed/invites.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import * as passwords from "../credentials/passwords/service.ts";
import { isOver } from "../lib/clock.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import { withinTransaction, type Context } from "../runtime/context.ts";
import type { BrowserSession } from "../sessions/browser-session-store.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import type { Handle } from "../storage/storage.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { lockUser } from "../users/store.ts";
import { isPasskeyRequired } from "./steps.ts";
import { findSession } from "./store.ts";

/**
 * The proof that lets this browser change the session's account: the session's own, or a recent
 * sign-in. For an invited user, only the link of the invitation.
 */
export async function find(
  ctx: Context,
  handle: Handle,
  attempt: Pick<SignInAttempt, "session" | "application" | "browserDigest" | "currentBrowserSession">,
  now = ctx.clock(),
): Promise<"session" | "browser" | "invite" | undefined> {
  const { accountUserId: userId, digest } = attempt.session;
  if (userId === null) return undefined;
  const session = await findSession(handle, digest);
  if (session && session.inviteDigest !== null) {
    const isInvited = await invites.isFor(ctx, handle, session.inviteDigest, userId);
    return isInvited && session.browserDigest === attempt.browserDigest ? "invite" : undefined;
  }
  if (session?.browserDigest === attempt.browserDigest && session.provenUserId === userId) {
    const { provenWith, provenAt, provenElsewhereAt, secondFactor } = session;
    const kept = provenWith !== null &&
      provenAt !== null && {
        userId,
        signedInWith: provenWith,
        proofs: null,
        secondFactor,
        provenAt,
        provenElsewhereAt,
      };
    if (kept && (await isFresh(ctx, handle, kept, attempt.application, now))) return "session";
  }
  const browser = await browserSessions.find(ctx, handle, attempt.currentBrowserSession, attempt.application);
  return browser?.userId === userId && (await isFresh(ctx, handle, browser, attempt.application, now))
    ? "browser"
    : undefined;
}

/**
 * Whether a proof lets its browser change the account now. If passkeys are required and the user
 * has one, only a passkey counts. If the user has a second factor, a first one does not. A password
 * that must be replaced never counts, and neither does the word of an organization's provider.
 */
export async function isFresh(
  ctx: Context,
  handle: Handle,
  proof: Pick<BrowserSession, "userId" | "signedInWith" | "proofs" | "secondFactor" | "provenAt" | "provenElsewhereAt">,
  application: Application,
  now = ctx.clock(),
): Promise<boolean> {
  if (isConfined(proof)) return false;
  const provenAt = provenTime(proof.provenAt, proof.provenElsewhereAt);
  if (isOver(provenAt + proofIsFresh, proofIsFresh, now)) return false;
  if (restsOnPassword(proof) && (await passwords.markOf(handle, proof.userId))) return false;
  const demand = await factors.demandOn(handle, application, proof.userId);
  // Neither a trusted browser counts, nor setting the factor up.
  const acr = (await factors.isProvable(handle, proof.userId, demand)) ? "urn:authsvc:acr:2" : null;
  if (!isEnough(proof, { ...demand, isRequired: false, acr, takesTrust: false })) return false;
  const lacksPasskey = isPasskeyRequired(application) && acrOf(proof) !== "phr";
  return !lacksPasskey || !(await passkeys.hasAny(handle, proof.userId));
}

/**
 * Acts in one transaction in which the proof is still fresh. Undefined if it ended since its page
 * asked.
 */
export async function act<T>(
  ctx: Context,
  { digest, userId }: BrowserSession,
  application: Application,
  work: (ctx: Context) => Promise<T>,
): Promise<{ done: T } | undefined> {
  return await ctx.storage.write(async (tx) => {
    await lockUser(tx, userId);
    const session = await browserSessions.find(ctx, tx, digest, application);
    const isProven = session?.userId === userId && (await isFresh(ctx, tx, session, application));
    return isProven ? { done: await work(withinTransaction(ctx, tx)) } : undefined;
  });
}
