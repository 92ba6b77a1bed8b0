/** Adds a method to an account, for a browser with a fresh proof. */
import * as invites from "../../credentials/mailed/invites.ts";
import * as notices from "../../credentials/mailed/notices.ts";
import type { RequestSource } from "../../lib/request-source.ts";
import * as audit from "../../records/audit/audit.ts";
import * as events from "../../records/webhooks/events.ts";
import type { Context } from "../../runtime/context.ts";
import * as ends from "../../sessions/login-ends.ts";
import type { MethodType } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import * as users from "../../users/service.ts";
import { lockUserForChange } from "../../users/store.ts";
import type { User } from "../../users/user.ts";
import { authorizationResponse, type AuthorizationResponse } from "../authorization-response.ts";
import * as freshProofs from "../fresh-proofs.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";
import { completeSession } from "../store.ts";

/** The result of adding: the next address, or why nothing was written. */
export type Adding<R> = { response: AuthorizationResponse } | { refusal: R } | "over" | "not-fresh";

/** `changes`: whether it replaces an existing method. */
type Made = { methodId: string; name: string | null; changes?: boolean };

type Added = Made & { type: MethodType; provider: string | null };

/** Records the new method, and notifies the user. */
export async function recordAdded(
  ctx: Context,
  tx: Handle,
  user: User,
  added: Added,
  source: RequestSource,
  now: number,
): Promise<void> {
  const { type, provider, methodId, name, changes = false } = added;
  const actor = { kind: "user", name: user.id } as const;
  const action = changes ? "password.changed" : "method.added";
  const about = { appId: user.appId, userId: user.id, source, details: { method: type, provider, methodId } };
  await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);
  if (changes) {
    await users.recordUpdate(ctx, tx, user, source, now);
    await notices.passwordChanged(ctx, tx, { user, source }, now);
    return;
  }
  const event = { appId: user.appId, userId: user.id, authMethod: type, source, sessionId: null };
  await events.record(ctx, tx, { kind: "method.added", ...event }, now);
  await notices.methodAdded(ctx, tx, { user, source }, { type, name }, now);
}

/** The session's user, if this browser may add this kind of method to the account now. */
export async function findAddingUser(
  ctx: Context,
  attempt: SignInAttempt,
  adds: MethodType,
): Promise<User | undefined> {
  const { session, application } = attempt;
  if (session.adds !== adds || !application.authMethods[adds].enabled || session.accountUserId === null)
    return undefined;
  if (!(await freshProofs.find(ctx, ctx.storage.reader, attempt))) return undefined;
  const user = await users.find(ctx.storage.reader, session.accountUserId);
  return user?.disabledAt === null ? user : undefined;
}

/**
 * Adds a method to the session's account, once, for a browser with a fresh proof. If `add`
 * refuses, everything is rolled back. A changed password ends everything outside this browser, and
 * personal access tokens if its owner wants that (`endsTokens`).
 */
export async function add<R = never>(
  ctx: Context,
  attempt: SignInAttempt,
  { endsTokens = false, ...adds }: { type: MethodType; provider: string | null; endsTokens?: boolean },
  add: (tx: Handle, userId: string, now: number) => Promise<Made | { refusal: R }>,
): Promise<Adding<R>> {
  const { session, source, sessionId, browserDigest } = attempt;
  const now = ctx.clock();
  return await ctx.storage.write<Adding<R>>(async (tx, rollBack) => {
    const userId = session.accountUserId;
    if (userId === null) throw rollBack("not-fresh");
    // A concurrent removal of unproven methods either sees this one or has ended its proof.
    const user = await lockUserForChange(tx, userId, now);
    if (user?.disabledAt !== null) throw rollBack("over");
    const proof = await freshProofs.find(ctx, tx, attempt, now);
    if (!proof) throw rollBack("not-fresh");
    const completed = await completeSession(
      tx,
      { digest: session.digest, browserDigest, proofOf: proof === "session" ? userId : undefined },
      {
        userId,
        signedInWith: adds.type,
        signedInProvider: adds.provider,
        signedInAt: now,
        provenElsewhereAt: null,
        proofs: null,
        secondFactor: null,
        organizationProofs: null,
        organizationId: null,
        ipAddress: source.ipAddress,
        userAgent: source.userAgent,
        browserSession: null,
        knownBrowserDigest: null,
        codeDigest: null,
        codeExpiresAt: null,
      },
      now,
    );
    if (!completed) throw rollBack("over");
    if (proof === "invite" && !(await invites.accept(ctx, tx, session.inviteDigest ?? "", user, source, now)))
      throw rollBack("not-fresh");
    const added = await add(tx, userId, now);
    if ("refusal" in added) throw rollBack(added);
    const { methodId, changes = false } = added;
    if (changes) {
      const by = { actor: { kind: "user", name: userId }, source } as const;
      const keep = { browserSession: attempt.currentBrowserSession };
      await ends.endAccess(ctx, tx, userId, { reason: "password-changed", by, keep, tokens: endsTokens }, now);
    }
    await recordAdded(ctx, tx, user, { ...adds, ...added }, source, now);
    const parameters = { status: changes ? "changed" : "added", methodId };
    return { response: authorizationResponse(session, parameters, { issuer: ctx.baseUrl, sessionId }) };
  });
}
