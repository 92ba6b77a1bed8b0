import type { FirstProof, Unproven } from "../../oauth/first-proof.ts";
import type { Linking } from "../../oauth/linking.ts";
import type { Users } from "../../users/service.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { Holder } from "../holder.ts";
import type { Outcome, Proofs } from "../proofs.ts";
import type { SignIn } from "../service.ts";
import type { SignInSession } from "../session.ts";

export type TakeOver = ReturnType<typeof createTakeOver>;

/** Links the identity of the first person to prove an address, once they agreed to the removal. */
export function createTakeOver(deps: {
  signIn: SignIn;
  proofs: Proofs;
  users: Users;
  linking: Linking;
  firstProof: FirstProof;
  failedSignIns: FailedSignIns;
}) {
  const { signIn, proofs, users, linking, firstProof, failedSignIns } = deps;

  return {
    /** What to agree to; undefined if nothing needs consent any more. */
    async waiting(session: SignInSession): Promise<{ email: string; unproven: Unproven } | undefined> {
      const { pendingLink: pending } = session;
      if (pending?.kind !== "take-over") return undefined;
      const user = await users.find(pending.userId);
      const isFirst = user?.disabledAt === null && !user.emailVerified && user.email === pending.email;
      const unproven = isFirst ? await firstProof.unprovenOf(user.id) : undefined;
      return unproven && { email: pending.email, unproven };
    },

    /**
     * `email`, `mark`: what the page showed. "outdated" if something else must be shown first, or
     * another post was faster.
     */
    async agree(
      holder: Holder,
      { email: shownEmail, mark }: { email: string | undefined; mark: string | undefined },
    ): Promise<Outcome<"outdated" | "method-disabled">> {
      const { session, application, clientInfo } = holder;
      const { pendingLink: pending } = session;
      // An old page: another identity may be waiting, and its page must be shown first.
      if (pending?.kind !== "take-over" || shownEmail !== pending.email) return { refusal: "outdated" };
      const { provider, issuer, subject, email, userId } = pending;
      // Methods added after the page was shown must be shown too.
      const unproven = await firstProof.unprovenOf(userId);
      if (unproven && mark !== unproven.mark) return { refusal: "outdated" };
      if (!signIn.allowsProvider(session, application, provider)) return { refusal: "method-disabled" };
      const how = { signedInWith: "oauth", provider } as const;
      const outcome = await proofs.accept<"outdated">(holder, how, async (tx, now) => {
        await users.lock(tx, userId);
        // Only one of two posts succeeds; the session's own page shows the result.
        if (!(await signIn.consumePendingLink(tx, holder, pending, now))) return { refusal: "outdated" };
        const identity = { provider, issuer, subject, email };
        const taken = await linking.takeOver(tx, { application, identity, userId, clientInfo }, now);
        return taken ? userId : undefined;
      });
      await failedSignIns.recordOutcome(holder, outcome, { method: "oauth", userId });
      return outcome;
    },
  };
}
