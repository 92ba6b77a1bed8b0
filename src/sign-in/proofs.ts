import type { Application } from "../applications/application.ts";
import type { Audit } from "../audit/audit.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Clock } from "../lib/clock.ts";
import { authorizationResponse, type AuthorizationResponse } from "../hosted/authorization-response.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Notices } from "../mail/notices.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { SignInMethod, SignInProof } from "../storage/column-types.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { PendingLinks } from "./pending-links.ts";
import { codeLasts, conflictOf, type SignInSession } from "./session.ts";
import { dependsOnPasskeys, stepAfter, type Step } from "./steps.ts";
import { completeSession, lockSession, keepProof, recordTie } from "./store.ts";
import type { Holder } from "./holder.ts";

/**
 * How a user was proven. `mayOffer`: a passkey may be offered afterwards. `proofOf`: relies on the
 * session's stored proof of this user. `isNew`: a passkey created in this sign-in.
 */
export type How = {
  signedInWith: SignInMethod;
  provider?: string | null;
  mayOffer?: boolean;
  proofOf?: string;
  isNew?: boolean;
};

/**
 * `usedWay`: "passkey", "password" or "oauth.PROVIDER". `refused`: bad proof; `over`: session not
 * open; `other-account`: the session requires another user; `refusal`: the proof's own reason.
 * These write nothing, except a refusal as `accept` says.
 */
export type Outcome<R = never> =
  | { response: AuthorizationResponse; usedWay: string }
  | { next: Exclude<Step, "done"> }
  | "refused"
  | "over"
  | "other-account"
  | { refusal: R };

export type Proofs = ReturnType<typeof createProofs>;

/** From a proof to a code. Each step is one transaction. */
export function createProofs(deps: {
  storage: Storage;
  users: Users;
  passkeys: Passkeys;
  browserSessions: BrowserSessions;
  pendingLinks: PendingLinks;
  notices: Notices;
  audit: Audit;
  clock: Clock;
  random: Random;
  issuer: string;
}) {
  const { storage, users, passkeys, browserSessions, pendingLinks, notices, audit, clock, random } = deps;

  /**
   * What goes back to the client. Undefined if the session has ended or the user is gone, which
   * rolls everything back.
   */
  async function finish(
    tx: Handle,
    holder: Holder,
    user: User,
    how: How,
    now: number,
  ): Promise<AuthorizationResponse | undefined> {
    const { session, application, clientInfo, sessionId } = holder;
    const userId = user.id;
    const { signedInWith, provider = null } = how;
    const proofs = proofsOf(session, how);
    const code = session.purpose === "sign-in" ? newSecret(random) : null;
    const completing = completeSession(
      tx,
      { digest: session.digest, browserDigest: holder.browserDigest, proofOf: how.proofOf },
      {
        userId,
        signedInWith,
        signedInProvider: provider,
        signedInAt: now,
        proofs,
        ipAddress: clientInfo.ipAddress,
        userAgent: clientInfo.userAgent,
        browserSession: { digest: holder.browserSession, replaces: holder.currentBrowserSession },
        codeDigest: code === null ? null : digestOf(code),
        codeExpiresAt: code === null ? null : now + codeLasts,
      },
    );
    // Together: on PostgreSQL one round trip inside a transaction.
    const [completed, meeting] = await Promise.all([
      completing,
      browserSessions.meet(tx, userId, holder.knownBrowser, now),
    ]);
    if (!completed) return undefined;
    const pendingLink = conflictOf(completed);
    // Only to the proven account, in the session of the browser that brought the identity.
    if (
      pendingLink?.userId === userId &&
      !(await pendingLinks.link(tx, user, { pendingLink, application, clientInfo }, now))
    )
      return undefined;
    // The user before its browser session, like every change of the user (docs/decisions/0027).
    if (user.locale !== holder.lang) await users.recordLocale(tx, userId, holder.lang);
    const expected = completed.tie ?? holder.browserSession;
    const tie = await browserSessions.start(
      tx,
      {
        digest: holder.browserSession,
        appId: application.id,
        userId,
        tie: expected,
        signedInWith,
        signedInProvider: provider,
        proofs,
      },
      { replaces: holder.currentBrowserSession },
      now,
    );
    // Another sign-in with the same cookie came first, or the session has just ended.
    if (tie !== expected) await recordTie(tx, session.digest, tie);
    await browserSessions.remember(tx, meeting, now);
    // A user's first browser is not reported.
    if (!meeting.isKnown && user.lastLoginAt !== null) await notices.newDevice(tx, { user, clientInfo }, now);
    const actor = { kind: "user", name: userId } as const;
    const details = { method: signedInWith, provider };
    const event = {
      actor,
      action: "sign-in",
      result: "success",
      appId: application.id,
      userId,
      clientInfo,
      details,
    } as const;
    await audit.record(tx, event, now);
    return authorizationResponse(session, { code }, { issuer: deps.issuer, sessionId: code && sessionId });
  }

  return {
    /**
     * Accepts a proof. `prove` writes the proof's effects (for a sign-up, also the user) and
     * returns the user or its id. The same transaction then completes the session and creates its
     * code, or stores the proof for the next step. If `prove` returns `{ refusal }` or `undefined`
     * ("refused"), everything is rolled back; if `false` ("refused"), its writes stay.
     */
    async accept<R = never>(
      holder: Holder,
      how: How,
      prove: (tx: Handle, now: number) => Promise<User | string | { refusal: R } | false | undefined>,
    ): Promise<Outcome<R>> {
      const { session, application, browserDigest } = holder;
      const { signedInWith, provider = null } = how;
      const now = clock();
      return await storage.write<Outcome<R>>(async (tx, rollBack) => {
        if (how.proofOf !== undefined) await lockSession(tx, session.digest);
        const proven = await prove(tx, now);
        if (proven === undefined) throw rollBack("refused");
        if (proven === false) return "refused";
        if (typeof proven === "object" && "refusal" in proven) throw rollBack(proven);
        const userId = typeof proven === "string" ? proven : proven.id;
        if (session.accountUserId !== null && session.accountUserId !== userId) throw rollBack("other-account");
        const asks = dependsOnPasskeys(application, { signedInWith, mayOffer: how.mayOffer === true });
        // Together: on PostgreSQL one round trip inside a transaction.
        const [user, hasPasskey] = await Promise.all([
          typeof proven === "string" ? users.find(proven, tx) : proven,
          asks && passkeys.hasAny(userId, tx),
        ]);
        if (!user) throw rollBack("refused");
        const mayOffer = how.mayOffer === true && users.mayOfferPasskey(user, now);
        const next = stepAfter(session.purpose, application, { signedInWith, hasPasskey, mayOffer });
        if (next === "done") {
          const usedWay = provider === null ? signedInWith : `${signedInWith}.${provider}`;
          const response = await finish(tx, holder, user, how, now);
          if (response === undefined) throw rollBack("over");
          return { response, usedWay };
        }
        const proof = { provenUserId: userId, provenWith: signedInWith, provenProvider: provider, provenAt: now };
        if (!(await keepProof(tx, { digest: session.digest, browserDigest }, proof))) throw rollBack("over");
        return { next };
      });
    },

    /** The user of a session's stored proof, and its next step; undefined without one. */
    async findWaiting({
      session,
      application,
    }: {
      session: SignInSession;
      application: Application;
    }): Promise<{ user: User; next: Step } | undefined> {
      const { provenUserId, provenWith } = session;
      if (provenUserId === null || provenWith === null) return undefined;
      const hasPasskey = await passkeys.hasAny(provenUserId);
      const next = stepAfter(session.purpose, application, { signedInWith: provenWith, hasPasskey, mayOffer: true });
      const user = await users.find(provenUserId);
      return user?.disabledAt === null ? { user, next } : undefined;
    },
  };
}

/** Null if there was only one proof. */
function proofsOf({ provenWith }: SignInSession, { signedInWith, proofOf, isNew }: How): SignInProof[] | null {
  if (proofOf === undefined || provenWith === null || provenWith === signedInWith) return null;
  return [provenWith, isNew ? "new-passkey" : signedInWith];
}
