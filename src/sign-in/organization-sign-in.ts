/** The person's choice of an organization: a step after all proofs. */
import { joinByDomain } from "../organizations/domains/joining.ts";
import { noOrganization } from "../organizations/gate.ts";
import { findMembership, listMemberships } from "../organizations/membership-store.ts";
import type { Context } from "../runtime/context.ts";
import { lockUser } from "../users/store.ts";
import { cancelProofOfSession } from "./cancel-store.ts";
import { byPerson } from "./organization-choice.ts";
import * as proofs from "./proofs.ts";
import type { Outcome } from "./proofs.ts";
import { demandOf, waitsForChoice } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/** Also joins it, if it is offered. Undefined if nobody may make this choice now. */
export async function choose(
  ctx: Context,
  attempt: SignInAttempt,
  organizationId: string,
): Promise<Outcome | undefined> {
  const { session } = attempt;
  const { provenUserId: userId, provenWith, provenProvider } = session;
  if (userId === null || provenWith === null || !waitsForChoice(session)) return undefined;
  // Never another one than the request demands, and never none.
  if (organizationId !== (demandOf(session) ?? organizationId)) return undefined;
  const how = { signedInWith: provenWith, provider: provenProvider, proofOf: userId, chosen: organizationId };
  const outcome = await proofs.accept(ctx, attempt, how, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user?.disabledAt !== null) return proofs.failed;
    // Who has none may continue without one: they were only offered to join.
    if (organizationId === noOrganization)
      return (await listMemberships(tx, userId)).length === 0 ? proofs.proven(user) : proofs.failed;
    const isTheirs =
      (await findMembership(tx, { organizationId, userId })) !== undefined ||
      (await joinByDomain(ctx, tx, user, { organizationId, agreed: true }, byPerson(attempt, userId)));
    return isTheirs ? proofs.proven(user) : proofs.failed;
  });
  return outcome === "refused" ? undefined : outcome;
}

/** Another person, or another account of this one, continues the session. */
export async function leave(ctx: Context, { session, browserDigest }: SignInAttempt): Promise<void> {
  if (!waitsForChoice(session)) return;
  const cancelled = { digest: session.digest, browserDigest, organizationId: demandOf(session) };
  await ctx.storage.write((tx) => cancelProofOfSession(tx, cancelled));
}
