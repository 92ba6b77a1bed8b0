import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { BrowserSession } from "../account/store.ts";
import type { Application } from "../applications/application.ts";
import type { Invites } from "../email-tokens/invites.ts";
import { isOver, type Clock } from "../lib/clock.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Holder } from "./holder.ts";
import { proofIsFresh } from "./session.ts";
import { isPasskeyRequired } from "./steps.ts";
import { findSession } from "./store.ts";

export type FreshProofs = ReturnType<typeof createFreshProofs>;

/** Decides which proofs are recent and strong enough to change an account. */
export function createFreshProofs(deps: {
  storage: Storage;
  passkeys: Passkeys;
  browserSessions: BrowserSessions;
  invites: Invites;
  clock: Clock;
}) {
  const { storage, passkeys, browserSessions, invites, clock } = deps;

  /**
   * The proof that lets this browser change the session's account: the session's own, or a recent
   * sign-in. For an invited user, only the link of the invitation.
   */
  async function find(
    holder: Pick<Holder, "session" | "application" | "browserDigest" | "currentBrowserSession">,
    handle: Handle = storage.reader,
    now = clock(),
  ): Promise<"session" | "browser" | "invite" | undefined> {
    const { accountUserId: userId, digest } = holder.session;
    if (userId === null) return undefined;
    const session = await findSession(handle, digest);
    if (session && session.inviteDigest !== null) {
      const isInvited = await invites.isFor(handle, session.inviteDigest, userId);
      return isInvited && session.browserDigest === holder.browserDigest ? "invite" : undefined;
    }
    if (session?.browserDigest === holder.browserDigest && session.provenUserId === userId) {
      const { provenWith, provenAt } = session;
      const kept = provenWith !== null && provenAt !== null && { userId, signedInWith: provenWith, provenAt };
      if (kept && (await isFresh(kept, holder.application, handle, now))) return "session";
    }
    const browser = await browserSessions.find(holder.currentBrowserSession, holder.application.id, handle);
    return browser?.userId === userId && (await isFresh(browser, holder.application, handle, now))
      ? "browser"
      : undefined;
  }

  /**
   * Whether a proof lets its browser change the account now. If passkeys are required and the user
   * has one, only a passkey counts.
   */
  async function isFresh(
    proof: Pick<BrowserSession, "userId" | "signedInWith" | "provenAt">,
    application: Application,
    handle: Handle = storage.reader,
    now = clock(),
  ): Promise<boolean> {
    if (isOver(proof.provenAt + proofIsFresh, proofIsFresh, now)) return false;
    const lacksPasskey = isPasskeyRequired(application) && proof.signedInWith !== "passkey";
    return !lacksPasskey || !(await passkeys.hasAny(proof.userId, handle));
  }

  return { find, isFresh };
}
