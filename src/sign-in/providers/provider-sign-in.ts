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
import * as freshness from "../freshness.ts";
import * as proofs from "../proofs.ts";
import type { Outcome } from "../proofs.ts";
import * as sessions from "../service.ts";
import { signUpIsOpen, type SignInSession } from "../session.ts";
import { askByMail } from "../sign-up/sign-up.ts";
import type { SignInAttempt } from "../sign-in-attempt.ts";

/** The result of a provider's callback. */
export type ProviderResponse = { provider: string; state: string; answer: ProviderAnswer & { code: string } };

/**
 * `agree-first`: the identity waits in the session for the person's consent. `waitsIn`: it waits
 * until its account is proven by another method.
 */
type ProviderOutcome =
  | Outcome<Exclude<LinkRefusal, "proof-first">>
  | "agree-first"
  | "check-mail"
  | { waitsIn: SignInSession };

/** Why an identity is not added: somebody else's, or already the user's. */
type LinkTaken = "identity-taken" | "identity-there";

type Start = { address: string } | "method-disabled" | "other-browser" | "not-fresh";

type ProviderIdentity = Awaited<ReturnType<typeof authorizationRequests.identify>>;

type Rule = Exclude<LinkRefusal, "agree-first" | "proof-first"> | "other-account" | LinkTaken;

/** The rule that refused an identity, and the operator's fix. */
const remedies: Record<Rule, string> = {
  "no-email":
    "the provider gave no address, or none in the claim that is read: allow the scope email there, or name the claim with --email-claim",
  "unsupported-email":
    "addresses of this form are not supported (emailRule): the person needs another one there, or --email-claim names the claim with it",
  "unverified-email":
    "the provider says email_verified: false: have it verify addresses (authentik: the scope mapping of email), or set --trusts-email off",
  "existing-method-first":
    "an account has this address, and the provider does not prove it: the person signs in another way once, which links both",
  "email-refused": "the sign-up rules refuse the address: see authsvc app show",
  "sign-up-closed": "sign-up is closed: authsvc user create or user invite, or open it",
  refused: "the account is disabled, or changed in that moment: authsvc user show",
  "other-account": "the sign-in is for one account, and the identity belongs to another",
  "identity-taken": "the identity is linked to another account, which can remove it",
  "identity-there": "the identity is linked already",
};

/** Refusals that a person or an operator can explain only by this line. */
function note(
  ctx: Context,
  { application, source: { requestId } }: SignInAttempt,
  provider: string,
  rule: Rule,
  more: { emailRule?: string } = {},
): void {
  const fields = { provider, appId: application.id, requestId, rule, ...more, remedy: remedies[rule] };
  ctx.log.warn("a rule refused a provider's identity", fields);
}

async function signInAs(
  ctx: Context,
  attempt: SignInAttempt,
  provider: string,
  identity: ProviderIdentity,
): Promise<ProviderOutcome> {
  const { session, application, source } = attempt;
  const signUpOpen = signUpIsOpen(attempt);
  const secondFactor = identity.hasSecondFactor ? "provider" : undefined;
  const how = { signedInWith: "oauth", provider, secondFactor, provenElsewhereAt: identity.provenAt } as const;
  const outcome = await proofs.accept<Refusal>(ctx, attempt, how, async (tx, now) => {
    const linked = await linking.userFor(ctx, tx, { application, provider, identity, source, signUpOpen }, now);
    return "userId" in linked ? proofs.provenId(linked.userId) : { kind: "refused", refusal: linked };
  });
  if (typeof outcome !== "object" || !("refusal" in outcome)) {
    if (outcome === "refused" || outcome === "other-account") note(ctx, attempt, provider, outcome);
    await failedSignIns.recordOutcome(ctx, attempt, outcome, { method: "oauth" });
    return outcome;
  }
  const { refusal, existingUserId: userId } = outcome.refusal;
  const { issuer, subject, email, provenAt } = identity;
  if (refusal === "proof-first") {
    const { name, picture } = identity;
    return await askByMail(ctx, attempt, email ?? "", { name, identity: { provider, issuer, subject, picture } });
  }
  if (refusal === "agree-first" && userId !== undefined && email !== null) {
    if (session.accountUserId !== null && session.accountUserId !== userId) {
      note(ctx, attempt, provider, "other-account");
      await failedSignIns.record(ctx, attempt, { method: "oauth" });
      return "other-account";
    }
    await sessions.keepIdentity(ctx, attempt, {
      kind: "take-over",
      userId,
      provider,
      issuer,
      subject,
      email,
      provenAt,
    });
    return "agree-first";
  }
  const brokenRule = refusal === "unsupported-email" && {
    emailRule: identity.brokenEmailRule ?? emailRule(email ?? ""),
  };
  if (refusal !== "agree-first") note(ctx, attempt, provider, refusal, brokenRule || {});
  await failedSignIns.record(ctx, attempt, { method: "oauth", userId: userId ?? null, reason: refusal });
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
    if (typeof added === "string") note(ctx, attempt, provider, added);
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
  // The identity that is added proves nobody.
  const wishes = adds ? undefined : freshness.wishesOf(session);
  const request = { sessionId, browserDigest, adds };
  const address = await authorizationRequests.start(ctx, application, provider, request, wishes);
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
