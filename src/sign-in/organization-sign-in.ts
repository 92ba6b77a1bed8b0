/** The person's choice of an organization: a step after all proofs. */
import { findMembership } from "../organizations/membership-store.ts";
import type { Context } from "../runtime/context.ts";
import { lockUser } from "../users/store.ts";
import { cancelProofOfSession } from "./cancel-store.ts";
import * as proofs from "./proofs.ts";
import type { Outcome } from "./proofs.ts";
import { waitsForChoice } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/** Undefined if nobody waits for it, or the person may no longer use this organization. */
export async function choose(
  ctx: Context,
  attempt: SignInAttempt,
  organizationId: string,
): Promise<Outcome | undefined> {
  const { session } = attempt;
  const { provenUserId: userId, provenWith, provenProvider } = session;
  if (userId === null || provenWith === null || !waitsForChoice(session)) return undefined;
  const how = { signedInWith: provenWith, provider: provenProvider, proofOf: userId, chosen: organizationId };
  const outcome = await proofs.accept(ctx, attempt, how, async (tx) => {
    const user = await lockUser(tx, userId);
    const isTheirs = (await findMembership(tx, { organizationId, userId })) !== undefined;
    return user?.disabledAt === null && isTheirs ? proofs.proven(user) : proofs.failed;
  });
  return outcome === "refused" ? undefined : outcome;
}

/** Another person, or another account of this one, continues the session. */
export async function leave(ctx: Context, { session, browserDigest }: SignInAttempt): Promise<void> {
  const { digest } = session;
  if (waitsForChoice(session)) await ctx.storage.write((tx) => cancelProofOfSession(tx, { digest, browserDigest }));
}
