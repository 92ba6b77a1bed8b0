/** Signs in by a provider's answer, or adds the identity to an account. */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import * as authorizationRequests from "../../credentials/identities/authorization-requests.ts";
import type { ProviderAnswer } from "../../credentials/identities/authorization-requests.ts";
import * as linking from "../../credentials/identities/linking.ts";
import type { LinkRefusal, Refusal } from "../../credentials/identities/linking.ts";
import { emailRule } from "../../lib/user-fields.ts";
import type { Context } from "../../runtime/context.ts";
import * as additions from "../adding/adding.ts";
import type { Adding } from "../adding/adding.ts";
import * as failedSignIns from "../failed-sign-ins.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import * as sessions from "../service.ts";
import { signUpIsOpen, type SignInSession } from "../session.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** What a provider's callback brought. */
export type ProviderResponse = { provider: string; state: string; answer: ProviderAnswer & { code: string } };

/**
 * `agree-first`: the identity waits in the session for the person's consent. `waitsIn`: it waits
 * until its account is proven by another method.
 */
type ProviderOutcome = Outcome<LinkRefusal> | "agree-first" | { waitsIn: SignInSession };

/** Why an identity is not added: somebody else's, or already the user's. */
type LinkTaken = "identity-taken" | "identity-there";

type Start = { address: string } | "method-disabled" | "other-browser" | "not-fresh";

type ProviderIdentity = Awaited<ReturnType<typeof authorizationRequests.identify>>;

async function signInAs(
  ctx: Context,
  attempt: SignInAttempt,
  provider: string,
  identity: ProviderIdentity,
): Promise<ProviderOutcome> {
  const { session, application, source } = attempt;
  const signUpOpen = signUpIsOpen(attempt);
  const secondFactor = identity.hasSecondFactor ? "provider" : undefined;
  const how = { signedInWith: "oauth", provider, secondFactor } as const;
  const outcome = await proofs.accept<Refusal>(ctx, attempt, how, async (tx, now) => {
    const linked = await linking.userFor(ctx, tx, { application, provider, identity, source, signUpOpen }, now);
    return "userId" in linked ? proofs.provenId(linked.userId) : { kind: "refused", refusal: linked };
  });
  if (typeof outcome !== "object" || !("refusal" in outcome)) {
    await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "oauth" });
    return outcome;
  }
  const { refusal, existingUserId: userId } = outcome.refusal;
  const { issuer, subject, email } = identity;
  if (refusal === "unsupported-email") {
    const rule = identity.brokenEmailRule ?? emailRule(email ?? "");
    const { requestId } = source;
    ctx.log.warn("a provider's address is not accepted", { provider, appId: application.id, requestId, rule });
  }
  if (refusal === "agree-first" && userId !== undefined && email !== null) {
    if (session.accountUserId !== null && session.accountUserId !== userId) {
      await failedSignIns.record(ctx, attempt, { method: "oauth" });
      return "other-account";
    }
    await sessions.keepIdentity(ctx, attempt, { kind: "take-over", userId, provider, issuer, subject, email });
    return "agree-first";
  }
  await failedSignIns.record(ctx, attempt, { method: "oauth" });
  if (userId === undefined || session.accountUserId !== null) return { refusal };
  return { waitsIn: await sessions.keepIdentity(ctx, attempt, { kind: "link", userId, provider, issuer, subject }) };
}

async function addTo(
  ctx: Context,
  attempt: SignInAttempt,
  provider: string,
  identity: ProviderIdentity,
): Promise<Adding<LinkTaken>> {
  const { application, session } = attempt;
  if (session.addsProvider !== provider || !(await additions.findAddingUser(ctx, attempt, "oauth"))) return "over";
  return await additions.add<LinkTaken>(ctx, attempt, { type: "oauth", provider }, async (tx, userId, now) => {
    const added = await linking.addTo(ctx, tx, userId, { application, provider, identity }, now);
    return typeof added === "string" ? { refusal: added } : { ...added, name: providerDisplayName(provider) };
  });
}

/** A forged token is treated like a failing provider. */
async function withIdentity<T>(
  ctx: Context,
  attempt: SignInAttempt,
  { provider, state, answer }: ProviderResponse,
  work: (identity: ProviderIdentity) => Promise<T>,
): Promise<T> {
  try {
    return await work(await authorizationRequests.identify(ctx, attempt.application, provider, state, answer));
  } catch (error) {
    await failedSignIns.record(ctx, attempt, { method: "oauth" });
    throw error;
  }
}

/**
 * The provider's URL for this browser, to which the session is bound. `adds`: to add the
 * identity to the session's account. Throws ProviderFailure.
 */
export async function start(
  ctx: Context,
  attempt: SignInAttempt,
  provider: string,
  { adds }: { adds: boolean },
): Promise<Start> {
  const { session, application, sessionId, browserDigest } = attempt;
  if (adds && (session.addsProvider !== provider || !(await additions.findAddingUser(ctx, attempt, "oauth"))))
    return "not-fresh";
  if (!sessions.allowsProvider(session, application, provider)) return "method-disabled";
  if (!(await sessions.claim(ctx, session, browserDigest))) return "other-browser";
  const address = await authorizationRequests.start(ctx, application, provider, { sessionId, browserDigest, adds });
  return address === undefined ? "method-disabled" : { address };
}

/** Throws ProviderFailure. */
export async function signIn(
  ctx: Context,
  attempt: SignInAttempt,
  response: ProviderResponse,
): Promise<ProviderOutcome> {
  return await withIdentity(ctx, attempt, response, (identity) => signInAs(ctx, attempt, response.provider, identity));
}

/** Adds the identity to the session's account. Throws ProviderFailure. */
export async function add(
  ctx: Context,
  attempt: SignInAttempt,
  response: ProviderResponse,
): Promise<Adding<LinkTaken>> {
  return await withIdentity(ctx, attempt, response, (identity) => addTo(ctx, attempt, response.provider, identity));
}
