/** Links the identity of the first person to prove an address, once they agreed to the removal. */
import * as firstProof from "../../credentials/identities/first-proof.ts";
import type { Unproven } from "../../credentials/identities/first-proof.ts";
import * as linking from "../../credentials/identities/linking.ts";
import type { Context } from "../../runtime/context.ts";
import * as users from "../../users/service.ts";
import { lockUser } from "../../users/store.ts";
import { consumePendingLink } from "../adding/pending-link-store.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import * as signIn from "../service.ts";
import type { SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** The removals to agree to; undefined if there are none any more. */
export async function waiting(
  ctx: Context,
  session: SignInSession,
): Promise<{ email: string; unproven: Unproven } | undefined> {
  const { pendingLink: pending } = session;
  if (pending?.kind !== "take-over") return undefined;
  const user = await users.find(ctx.storage.reader, pending.userId);
  const isFirst = user?.disabledAt === null && !user.emailVerified && user.email === pending.email;
  const unproven = isFirst ? await firstProof.unprovenOf(ctx, ctx.storage.reader, user.id) : undefined;
  return unproven && { email: pending.email, unproven };
}

/**
 * `email`, `mark`: as shown on the page. "outdated" if something else must be shown first, or
 * another post was faster.
 */
export async function agree(
  ctx: Context,
  attempt: SignInAttempt,
  { email: shownEmail, mark }: { email: string | undefined; mark: string | undefined },
): Promise<Outcome<"outdated" | "method-disabled">> {
  const { session, application, source } = attempt;
  const { pendingLink: pending } = session;
  // An old page: another identity may be waiting, and its page must be shown first.
  if (pending?.kind !== "take-over" || shownEmail !== pending.email) return { refusal: "outdated" };
  const { provider, issuer, subject, email, userId } = pending;
  // Methods added after the page was shown must be shown too.
  const unproven = await firstProof.unprovenOf(ctx, ctx.storage.reader, userId);
  if (unproven && mark !== unproven.mark) return { refusal: "outdated" };
  if (!signIn.allowsProvider(session, application, provider)) return { refusal: "method-disabled" };
  const how = { signedInWith: "oauth", provider, provenElsewhereAt: pending.provenAt ?? 0 } as const;
  const outcome = await proofs.accept<"outdated">(ctx, attempt, how, async (tx, now) => {
    await lockUser(tx, userId);
    // Only one of two posts succeeds; the session's own page shows the result.
    if (!(await consumePendingLink(tx, { ...attempt, digest: attempt.session.digest }, pending, now)))
      return { kind: "refused", refusal: "outdated" };
    const identity = { provider, issuer, subject, email };
    const taken = await linking.takeOver(ctx, tx, { application, identity, userId, source }, now);
    return taken ? proofs.provenId(userId) : proofs.failed;
  });
  await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "oauth", userId });
  return outcome;
}
