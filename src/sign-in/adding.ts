import type { SignInMethod } from "../applications/application.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import type { Notices } from "../mail/notices.ts";
import type { Handle } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import type { Events } from "../webhooks/events.ts";
import type { FreshProofs } from "./fresh-proofs.ts";
import type { Holder } from "./proofs.ts";
import { withParameters } from "./redirects.ts";
import { completeSession } from "./store.ts";
import { Undo, type createUndoable } from "./undo.ts";

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

/** One more way into an account, for a browser that has just shown whose it is. */
export function createAdding(
  deps: { users: Users; notices: Notices; events: Events; audit: Audit },
  { fresh, undoable }: { fresh: FreshProofs; undoable: ReturnType<typeof createUndoable> },
) {
  const { users, notices, events, audit } = deps;

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

  return {
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
        const proof = await fresh.find(holder, tx, now);
        if (userId === null || !user || !proof) throw new Undo("not-fresh");
        const completed = await completeSession(
          tx,
          { digest: session.digest, browserDigest, proofOf: proof === "session" ? userId : undefined },
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
