import type { Application, SignInMethod } from "../applications/application.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Clock } from "../lib/clock.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Notices } from "../mail/notices.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Events } from "../webhooks/events.ts";
import { createAdding } from "./adding.ts";
import { createFreshProofs } from "./fresh-proofs.ts";
import { withParameters } from "./redirects.ts";
import { codeLasts, type SignInSession } from "./session.ts";
import { dependsOnPasskeys, stepAfter, type Step } from "./steps.ts";
import { completeSession, keepProof } from "./store.ts";
import { createUndoable, Undo } from "./undo.ts";

/** A session in front of the browser that owns it, and the other cookies of that browser, as digests. */
export type Holder = {
  sessionId: string;
  session: SignInSession;
  application: Application;
  browserDigest: string;
  /** Of a cookie made for this moment: the account page's. */
  browserSession: string;
  /** Of the one that it takes the place of. */
  currentBrowserSession: string;
  /** Of the cookie that browsers keep for good. */
  knownBrowser: string;
  /** The language that the pages speak with this person. */
  lang: string;
  origin: Origin;
};

/** How somebody proves who they are. `mayOffer`: a passkey may be offered afterwards. `proofOf`: it rests on the proof that the session keeps. */
export type How = { signedInWith: SignInMethod; provider?: string | null; mayOffer?: boolean; proofOf?: string };

/**
 * `refused`: the proof did not hold; `over`: the session was no longer open; `other-account`: it asked for somebody else. Nothing was written, but
 * for a refusal that says so (`take`).
 */
export type Outcome = { redirectTo: string } | { next: Exclude<Step, "done"> } | "refused" | "over" | "other-account";

export type Proofs = ReturnType<typeof createProofs>;

/** From a proof to a code, step by step, each in one transaction. */
export function createProofs(deps: {
  storage: Storage;
  users: Users;
  passkeys: Passkeys;
  browserSessions: BrowserSessions;
  notices: Notices;
  events: Events;
  audit: Audit;
  clock: Clock;
  random: Random;
}) {
  const { users, passkeys, browserSessions, notices, audit, random } = deps;
  const undoable = createUndoable(deps);
  const fresh = createFreshProofs(deps);

  async function finish(tx: Handle, holder: Holder, user: User, how: How, now: number): Promise<string> {
    const { session, application, origin, sessionId } = holder;
    const userId = user.id;
    const { signedInWith, provider = null } = how;
    const code = session.purpose === "sign-in" ? newSecret(random) : null;
    const completing = completeSession(
      tx,
      { digest: session.digest, browserDigest: holder.browserDigest, proofOf: how.proofOf },
      {
        userId,
        signedInWith,
        signedInProvider: provider,
        signedInAt: now,
        ipAddress: origin.ipAddress,
        userAgent: origin.userAgent,
        browserSessionDigest: holder.browserSession,
        codeDigest: code === null ? null : digestOf(code),
        codeExpiresAt: code === null ? null : now + codeLasts,
      },
    );
    // At once: within a transaction of PostgreSQL they are one way there and back.
    const [completed, meeting] = await Promise.all([
      completing,
      browserSessions.meet(tx, userId, holder.knownBrowser, now),
    ]);
    if (!completed) throw new Undo("over");
    // Before its logins: so does whoever changes the user (docs/decisions/0027).
    if (user.locale !== holder.lang) await users.noteLocale(tx, userId, holder.lang);
    await browserSessions.start(
      tx,
      { digest: holder.browserSession, appId: application.id, userId, signedInWith },
      { replaces: holder.currentBrowserSession },
      now,
    );
    await browserSessions.remember(tx, meeting, now);
    // The first browser of all is no news.
    if (!meeting.isKnown && user.lastLoginAt !== null) await notices.newDevice(tx, { user, origin }, now);
    const actor = { kind: "user", name: userId } as const;
    const details = { method: signedInWith, provider };
    const event = {
      actor,
      action: "sign-in",
      result: "success",
      appId: application.id,
      userId,
      origin,
      details,
    } as const;
    await audit.record(tx, event, now);
    return withParameters(session.redirectUri, { code, state: session.state, sessionId: code && sessionId });
  }

  return {
    /**
     * Takes a proof: `prove` writes what belongs to it (and, for a sign-up, the user) and answers the user's id, in the transaction that
     * finishes the session and makes its code, or keeps the proof for the step that is still to come. `undefined`, and nothing of it is written;
     * `false`, and what it has written stands.
     */
    async take(
      holder: Holder,
      how: How,
      prove: (tx: Handle, now: number) => Promise<string | false | undefined>,
    ): Promise<Outcome> {
      const { session, application, browserDigest } = holder;
      const { signedInWith, provider = null } = how;
      return await undoable<Outcome, "refused" | "over" | "other-account">(async (tx, now) => {
        const userId = await prove(tx, now);
        if (userId === undefined) throw new Undo("refused");
        if (userId === false) return "refused";
        if (session.accountUserId !== null && session.accountUserId !== userId) throw new Undo("other-account");
        const asks = dependsOnPasskeys(application, { signedInWith, mayOffer: how.mayOffer === true });
        // At once: within a transaction of PostgreSQL they are one way there and back.
        const [user, hasPasskey] = await Promise.all([users.find(userId, tx), asks && passkeys.hasAny(userId, tx)]);
        if (!user) throw new Undo("refused");
        const mayOffer = how.mayOffer === true && users.mayOfferPasskey(user, now);
        const next = stepAfter(session.purpose, application, { signedInWith, hasPasskey, mayOffer });
        if (next === "done") return { redirectTo: await finish(tx, holder, user, how, now) };
        const proof = { provenUserId: userId, provenWith: signedInWith, provenProvider: provider, provenAt: now };
        if (!(await keepProof(tx, { digest: session.digest, browserDigest }, proof))) throw new Undo("over");
        return { next };
      });
    },

    /** What a session that keeps a proof wants next; undefined when it keeps none. */
    async nextStep({
      session,
      application,
    }: {
      session: SignInSession;
      application: Application;
    }): Promise<Step | undefined> {
      const { provenUserId, provenWith } = session;
      if (provenUserId === null || provenWith === null) return undefined;
      const hasPasskey = await passkeys.hasAny(provenUserId);
      return stepAfter(session.purpose, application, { signedInWith: provenWith, hasPasskey, mayOffer: true });
    },

    findFreshProof: fresh.find,

    isFresh: fresh.isFresh,

    ...createAdding(deps, { fresh, undoable }),
  };
}
