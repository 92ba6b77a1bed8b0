import type { Application, SignInMethod } from "../applications/application.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { BrowserSession } from "../account/store.ts";
import type { Clock } from "../lib/clock.ts";
import { digestOf, newSecret, type Random } from "../lib/random.ts";
import type { Notices } from "../mail/notices.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Events } from "../webhooks/events.ts";
import { withParameters } from "./redirects.ts";
import { codeLasts, proofIsFresh, type SignInSession } from "./session.ts";
import { isPasskeyRequired, stepAfter, type Step } from "./steps.ts";
import { completeSession, findSession, keepProof } from "./store.ts";

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

/** `refused`: the proof did not hold; `over`: the session was no longer open; `other-account`: it asked for somebody else. Nothing was written. */
export type Outcome = { redirectTo: string } | { next: Exclude<Step, "done"> } | "refused" | "over" | "other-account";

/** What adding came to: where to go, or why nothing was written. */
export type Adding<R> = { redirectTo: string } | { refusal: R } | "over" | "not-fresh";

type Added = {
  type: SignInMethod;
  provider: string | null;
  methodId: string;
  name: string | null;
  /** Whether it takes the place of the one before. */
  changes?: boolean;
};

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
  const { storage, users, passkeys, browserSessions, notices, events, audit, clock, random } = deps;

  async function finish(tx: Handle, holder: Holder, user: User, how: How, now: number): Promise<string> {
    const { session, application, origin, sessionId } = holder;
    const userId = user.id;
    const { signedInWith, provider = null } = how;
    const code = session.purpose === "sign-in" ? newSecret(random) : null;
    const completed = await completeSession(
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
    if (!completed) throw new Undo("over");
    await browserSessions.start(
      tx,
      { digest: holder.browserSession, appId: application.id, userId, signedInWith },
      { replaces: holder.currentBrowserSession },
      now,
    );
    await greet(tx, holder, user, now);
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

  /** Remembers browser and language, and tells the user about a browser that it never signed in with. */
  async function greet(tx: Handle, holder: Holder, user: User, now: number): Promise<void> {
    const isKnown = await browserSessions.meet(tx, user.id, holder.knownBrowser, now);
    if (user.locale !== holder.lang) await users.noteLocale(tx, user.id, holder.lang);
    if (isKnown || user.lastLoginAt === null) return;
    await notices.newDevice(tx, { user, origin: holder.origin }, now);
  }

  /** Writes down, and tells the user, that the account has one more way in. */
  async function noteAdded(tx: Handle, user: User, added: Added, origin: Origin, now: number): Promise<void> {
    const { type, provider, methodId, name, changes = false } = added;
    const actor = { kind: "user", name: user.id } as const;
    const action = changes ? "password.changed" : "method.added";
    const about = { appId: user.appId, userId: user.id, origin, details: { method: type, provider, methodId } };
    await audit.record(tx, { actor, action, result: "success", ...about }, now);
    if (changes) {
      await notices.passwordChanged(tx, { user, origin }, now);
      return;
    }
    const event = { appId: user.appId, userId: user.id, authMethod: type, origin, sessionId: null };
    await events.record(tx, { kind: "method.added", ...event }, now);
    await notices.methodAdded(tx, { user, origin }, { type, name }, now);
  }

  /** Rolls back what `work` wrote when it ends with an `Undo`. */
  async function undoable<T, U>(work: (tx: Handle, now: number) => Promise<T>): Promise<T | U> {
    const now = clock();
    try {
      return await storage.write((tx) => work(tx, now));
    } catch (error) {
      if (error instanceof Undo) return error.outcome as U;
      throw error;
    }
  }

  /** The proof that lets this browser change the account of the session: the session's own, or a sign-in of a moment ago. */
  async function findFreshProof(
    holder: Pick<Holder, "session" | "application" | "browserDigest" | "currentBrowserSession">,
    handle: Handle = storage.reader,
    now = clock(),
  ): Promise<"session" | "browser" | undefined> {
    const { accountUserId: userId, digest } = holder.session;
    if (userId === null) return undefined;
    const session = await findSession(handle, digest);
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

  /** Whether a proof lets its browser change the account now. Where passkeys are required, only one by passkey does, once there is one. */
  async function isFresh(
    proof: Pick<BrowserSession, "userId" | "signedInWith" | "provenAt">,
    application: Application,
    handle: Handle = storage.reader,
    now = clock(),
  ): Promise<boolean> {
    if (proof.provenAt <= now - proofIsFresh) return false;
    const lacksPasskey = isPasskeyRequired(application) && proof.signedInWith !== "passkey";
    return !lacksPasskey || !(await passkeys.hasAny(proof.userId, handle));
  }

  return {
    /**
     * Takes a proof: `prove` writes what belongs to it (and, for a sign-up, the user) and answers the user's id, in the transaction that
     * finishes the session and makes its code, or keeps the proof for the step that is still to come.
     */
    async take(
      holder: Holder,
      how: How,
      prove: (tx: Handle, now: number) => Promise<string | undefined>,
    ): Promise<Outcome> {
      const { session, application, browserDigest } = holder;
      const { signedInWith, provider = null } = how;
      return await undoable<Outcome, "refused" | "over" | "other-account">(async (tx, now) => {
        const userId = await prove(tx, now);
        if (userId === undefined) throw new Undo("refused");
        if (session.accountUserId !== null && session.accountUserId !== userId) throw new Undo("other-account");
        const user = await users.find(userId, tx);
        if (!user) throw new Undo("refused");
        const hasPasskey = signedInWith === "passkey" || (await passkeys.hasAny(userId, tx));
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

    findFreshProof,

    isFresh,

    noteAdded,

    /** Adds a method to the session's account, once, for a browser with a fresh proof. `add` writes it; what it refuses rolls everything back. */
    async add<R extends string>(
      holder: Holder,
      adds: { type: SignInMethod; provider: string | null; changes?: boolean },
      add: (
        tx: Handle,
        userId: string,
        now: number,
      ) => Promise<{ methodId: string; name: string | null } | { refusal: R }>,
    ): Promise<Adding<R>> {
      const { session, origin, sessionId, browserDigest } = holder;
      return await undoable<Adding<R>, Adding<R>>(async (tx, now) => {
        const userId = session.accountUserId;
        // Locked first: what takes unproven methods off an account must find this one, or end its proof.
        const user = userId === null ? undefined : await users.take(tx, userId, now);
        const fresh = await findFreshProof(holder, tx, now);
        if (userId === null || !user || !fresh) throw new Undo("not-fresh");
        const completed = await completeSession(
          tx,
          { digest: session.digest, browserDigest, proofOf: fresh === "session" ? userId : undefined },
          {
            userId,
            signedInWith: adds.type,
            signedInProvider: adds.provider,
            signedInAt: now,
            ipAddress: origin.ipAddress,
            userAgent: origin.userAgent,
            browserSessionDigest: null,
            codeDigest: null,
            codeExpiresAt: null,
          },
        );
        if (!completed) throw new Undo("over");
        const added = await add(tx, userId, now);
        if ("refusal" in added) throw new Undo(added);
        const { methodId, name } = added;
        if (user.disabledAt !== null) throw new Undo("over");
        await noteAdded(tx, user, { ...adds, methodId, name }, origin, now);
        return {
          redirectTo: withParameters(session.redirectUri, {
            status: "added",
            methodId,
            state: session.state,
            sessionId,
          }),
        };
      });
    },
  };
}

/** Rolls a transaction back with an outcome instead of an error. */
class Undo extends Error {
  readonly outcome: unknown;
  constructor(outcome: unknown) {
    super("undone");
    this.outcome = outcome;
  }
}
