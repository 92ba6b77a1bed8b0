import type { Audit } from "../../audit/audit.ts";
import type { ClientInfo } from "../../lib/client-info.ts";
import type { Invites } from "../../email-tokens/invites.ts";
import { authorizationResponse, type AuthorizationResponse } from "../../hosted/authorization-response.ts";
import type { Notices } from "../../mail/notices.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import type { Handle, Storage } from "../../storage/storage.ts";
import type { RevokeAccess } from "../../tokens/revoke-access.ts";
import type { User } from "../../users/user.ts";
import type { Users } from "../../users/service.ts";
import type { Events } from "../../webhooks/events.ts";
import type { FreshProofs } from "../fresh-proofs.ts";
import type { Holder } from "../holder.ts";
import { completeSession } from "../store.ts";

/** The result of adding: where to go, or why nothing was written. */
export type Adding<R> = { response: AuthorizationResponse } | { refusal: R } | "over" | "not-fresh";

/** `changes`: whether it replaces an existing method. */
type Made = { methodId: string; name: string | null; changes?: boolean };

type Added = Made & { type: SignInMethod; provider: string | null };

export type Additions = ReturnType<typeof createAdditions>;

/** Adds a method to an account, for a browser with a fresh proof. */
export function createAdditions(deps: {
  storage: Storage;
  users: Users;
  access: RevokeAccess;
  notices: Notices;
  events: Events;
  audit: Audit;
  clock: Clock;
  issuer: string;
  freshProofs: FreshProofs;
  invites: Invites;
}) {
  const { storage, users, access, notices, events, audit, clock, freshProofs, invites } = deps;

  /** Records the new method, and notifies the user. */
  async function recordAdded(tx: Handle, user: User, added: Added, clientInfo: ClientInfo, now: number): Promise<void> {
    const { type, provider, methodId, name, changes = false } = added;
    const actor = { kind: "user", name: user.id } as const;
    const action = changes ? "password.changed" : "method.added";
    const about = { appId: user.appId, userId: user.id, clientInfo, details: { method: type, provider, methodId } };
    await audit.record(tx, { actor, action, result: "success", ...about }, now);
    if (changes) {
      await users.recordUpdate(tx, user, clientInfo, now);
      await notices.passwordChanged(tx, { user, clientInfo }, now);
      return;
    }
    const event = { appId: user.appId, userId: user.id, authMethod: type, clientInfo, sessionId: null };
    await events.record(tx, { kind: "method.added", ...event }, now);
    await notices.methodAdded(tx, { user, clientInfo }, { type, name }, now);
  }

  return {
    recordAdded,

    /** The session's user, if this browser may add this kind of method to the account now. */
    async findAddingUser(holder: Holder, adds: SignInMethod): Promise<User | undefined> {
      const { session, application } = holder;
      if (session.adds !== adds || !application.authMethods[adds].enabled || session.accountUserId === null)
        return undefined;
      if (!(await freshProofs.find(holder))) return undefined;
      const user = await users.find(session.accountUserId);
      return user?.disabledAt === null ? user : undefined;
    },

    /**
     * Adds a method to the session's account, once, for a browser with a fresh proof. If `add`
     * refuses, everything is rolled back. A changed password ends everything outside this browser.
     */
    async add<R = never>(
      holder: Holder,
      adds: { type: SignInMethod; provider: string | null },
      add: (tx: Handle, userId: string, now: number) => Promise<Made | { refusal: R }>,
    ): Promise<Adding<R>> {
      const { session, clientInfo, sessionId, browserDigest } = holder;
      const now = clock();
      return await storage.write<Adding<R>>(async (tx, rollBack) => {
        const userId = session.accountUserId;
        if (userId === null) throw rollBack("not-fresh");
        // A concurrent removal of unproven methods either sees this one or has ended its proof.
        const user = await users.lockForChange(tx, userId, now);
        if (user?.disabledAt !== null) throw rollBack("over");
        const proof = await freshProofs.find(holder, tx, now);
        if (!proof) throw rollBack("not-fresh");
        const completed = await completeSession(
          tx,
          { digest: session.digest, browserDigest, proofOf: proof === "session" ? userId : undefined },
          {
            userId,
            signedInWith: adds.type,
            signedInProvider: adds.provider,
            signedInAt: now,
            proofs: null,
            ipAddress: clientInfo.ipAddress,
            userAgent: clientInfo.userAgent,
            browserSession: null,
            codeDigest: null,
            codeExpiresAt: null,
          },
          now,
        );
        if (!completed) throw rollBack("over");
        if (proof === "invite" && !(await invites.accept(tx, session.inviteDigest ?? "", user, clientInfo, now)))
          throw rollBack("not-fresh");
        const added = await add(tx, userId, now);
        if ("refusal" in added) throw rollBack(added);
        const { methodId, changes = false } = added;
        if (changes) {
          const by = { actor: { kind: "user", name: userId }, clientInfo } as const;
          const keep = { browserSession: holder.currentBrowserSession };
          await access.revoke(tx, userId, { reason: "password-changed", by, keep }, now);
        }
        await recordAdded(tx, user, { ...adds, ...added }, clientInfo, now);
        const parameters = { status: changes ? "changed" : "added", methodId };
        return { response: authorizationResponse(session, parameters, { issuer: deps.issuer, sessionId }) };
      });
    },
  };
}
