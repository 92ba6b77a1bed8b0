/** The person's choice of an organization: a step after all proofs. */
import { joinByDomain } from "../organizations/domains/joining.ts";
import { noOrganization } from "../organizations/gate.ts";
import * as invitations from "../organizations/invitations.ts";
import { findMembership, listMemberships } from "../organizations/membership-store.ts";
import * as organizations from "../organizations/service.ts";
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import { lockUser } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { cancelProofOfSession } from "./cancel-store.ts";
import { byPerson, later } from "./organization-choice.ts";
import * as proofs from "./proofs.ts";
import type { Outcome } from "./proofs.ts";
import { demandOf, waitsForChoice } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/**
 * Also joins it, if it is offered. `later`: continues as if nobody had been invited. Undefined if
 * nobody may make this choice now. `before`: in the same transaction, and before any lock.
 */
export async function choose(
  ctx: Context,
  attempt: SignInAttempt,
  organizationId: string,
  before?: (tx: Handle, now: number) => Promise<unknown>,
): Promise<Outcome | undefined> {
  const { session } = attempt;
  const { provenUserId: userId, provenWith, provenProvider } = session;
  if (userId === null || provenWith === null || provenWith === "organization" || !waitsForChoice(session))
    return undefined;
  // Never another one than the request demands, and never none.
  if (organizationId !== (demandOf(session) ?? organizationId)) return undefined;
  const how = { signedInWith: provenWith, provider: provenProvider, proofOf: userId, chosen: organizationId };
  const outcome = await proofs.accept(ctx, attempt, how, async (tx, now) => {
    await before?.(tx, now);
    const user = await lockUser(tx, userId);
    if (user?.disabledAt !== null) return proofs.failed;
    if (organizationId === later) return proofs.proven(user);
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

/** Nobody who came by an organization's provider: that opens this one, and no other. */
async function chooser(ctx: Context, { session }: SignInAttempt): Promise<User | undefined> {
  const { provenUserId: userId, provenWith } = session;
  return userId === null || provenWith === "organization" || !waitsForChoice(session)
    ? undefined
    : await users.find(ctx.storage.reader, userId);
}

/**
 * Answers an invitation. After a no, the sign-in continues by itself if it can. Throws as
 * `invitations.accept`.
 */
export async function answer(
  ctx: Context,
  attempt: SignInAttempt,
  { invitationId, accepts }: { invitationId: string; accepts: boolean },
): Promise<Outcome | undefined> {
  const user = await chooser(ctx, attempt);
  const invited = user && (await invitations.findFor(ctx, invitationId, user));
  if (!invited) return undefined;
  const asked = { id: invitationId, userId: user.id };
  const { source } = attempt;
  if (accepts)
    return await choose(ctx, attempt, invited.organization.id, (tx, now) =>
      invitations.acceptWithin(ctx, tx, asked, source, now),
    );
  await invitations.refuse(ctx, asked, source);
  return await choose(ctx, attempt, later);
}

/** Creates an organization and chooses it. Throws as `organizations.createByPerson`. */
export async function create(ctx: Context, attempt: SignInAttempt, name: string): Promise<Outcome | undefined> {
  const user = await chooser(ctx, attempt);
  if (!user || demandOf(attempt.session) !== null || attempt.application.settings.organizationCreation !== "people")
    return undefined;
  const made = await organizations.createByPerson(ctx, user, { name }, byPerson(attempt, user.id));
  return await choose(ctx, attempt, made.id);
}

/** Another person, or another account of this one, continues the session. */
export async function leave(ctx: Context, { session, browserDigest }: SignInAttempt): Promise<void> {
  if (!waitsForChoice(session)) return;
  const cancelled = { digest: session.digest, browserDigest, organizationId: demandOf(session) };
  await ctx.storage.write((tx) => cancelProofOfSession(tx, cancelled));
}
