/** From a proof to a code. Each step is one transaction. */
import * as signUpRules from "../applications/sign-up/rules.ts";
import { acrOf, acrValues, isEnough, isFactorRequired, restsOnPassword, type Asked } from "../factors/assurance.ts";
import { findFactorState, type FactorState } from "../factors/store.ts";
import * as methods from "../credentials/methods/service.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import * as passwords from "../credentials/passwords/service.ts";
import { lacksProvider, provedTwoFactors, requiresFactor, type ProvenFor } from "../organizations/gate.ts";
import { findMembership, type Membership } from "../organizations/membership-store.ts";
import { isConfined, withProof } from "../organizations/provider/provider.ts";
import type { Context } from "../runtime/context.ts";
import * as browserSessions from "../sessions/browser-sessions.ts";
import type { OrganizationProof, SecondFactorProof, SignInMethod, SignInProof } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as users from "../users/service.ts";
import { isPending, type User } from "../users/user.ts";
import { findWaitingStep, type WaitingStep } from "../users/waiting-steps.ts";
import type { AuthorizationResponse } from "./authorization-response.ts";
import * as clientAccess from "./client-access.ts";
import * as recovery from "./factors/recovery.ts";
import * as trustedBrowsers from "./factors/trusted-browsers.ts";
import { finish, type CompleteProof } from "./finish.ts";
import * as freshness from "./freshness.ts";
import * as organizationChoice from "./organization-choice.ts";
import {
  askingFor,
  demandOf,
  organizationOf,
  takenByPerson,
  isProven,
  waitsForChoice,
  type SignInSession,
} from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { begins, dependsOnPasskeys, factorStep, stepAfter, type Step } from "./steps.ts";
import { findSession, keepProof } from "./store.ts";

/**
 * How a user was authenticated. `mayOffer`: a passkey may be offered afterwards. `proofOf`: uses
 * the session's stored proof of this user. `isNew`: a passkey created in this sign-in. `continues`:
 * the browser session of an earlier sign-in. `consented`: the person consented to the client's
 * request. `isSilent`: given if no person has acted yet; true: if a step is left, nothing is
 * written. `secondFactor`: just proven too. `besides`: just proven in addition to a provider's
 * sign-in. `provenElsewhereAt`: of that sign-in, as in a `Login`. `seesCodes`: the person continues
 * by themselves, after a page with recovery codes. `chosen`: the organization that they chose.
 * `answersStep`: they answered what `findWaitingStep` found. `organizationProof`: they came from
 * that organization's provider, with `signedInWith` "organization" and its issuer as `provider` if
 * nothing of their own is proven, and else beside the stored proof.
 */
export type How = {
  signedInWith: SignInMethod;
  provider?: string | null;
  mayOffer?: boolean;
  proofOf?: string;
  isNew?: boolean;
  continues?: Pick<
    CompleteProof,
    "proofs" | "secondFactor" | "provenAt" | "provenElsewhereAt" | "organizationProofs"
  > & { tie: string };
  consented?: boolean;
  isSilent?: boolean;
  secondFactor?: SecondFactorProof;
  besides?: "emailCode";
  provenElsewhereAt?: number;
  seesCodes?: boolean;
  chosen?: string;
  answersStep?: boolean;
  organizationProof?: OrganizationProof;
};

/**
 * `usedWay`: a method, or "oauth.PROVIDER"; null by single sign-on. `keptUntil`: as `finish` says.
 * `refused`: bad proof; `over`: session not open; `other-account`: the session requires another
 * user; `refusal`: the proof's own reason. These write nothing, except a refusal as `accept` says.
 * `pending`: the user waits for approval; the effects of the proof stay, and nothing is issued.
 */
export type Outcome<R = never> =
  | { response: AuthorizationResponse; usedWay: string | null; keptUntil?: number | null }
  | { next: Exclude<Step, "done"> }
  | "refused"
  | "over"
  | "pending"
  | "other-account"
  | { refusal: R };

/**
 * The result of `prove`. `user`: if it has just been read. `mustChange`: of the password, likewise.
 * `failed`: the outcome "refused", after which the writes of `prove` stay or not. `refused`: its
 * own reason; they are rolled back.
 */
export type Proof<R = never> =
  | { kind: "proven"; userId: string; user?: User; mustChange?: boolean }
  | { kind: "failed"; keepsWrites: boolean }
  | { kind: "refused"; refusal: R };

export const failed = { kind: "failed", keepsWrites: false } as const;

export function proven(user: User | undefined): Proof {
  return user ? { kind: "proven", userId: user.id, user } : failed;
}

export function provenId(userId: string | undefined): Proof {
  return userId === undefined ? failed : { kind: "proven", userId };
}

/**
 * Accepts a proof. `prove` locks the user and writes the proof's effects (for a sign-up, also the
 * user). The same transaction then completes the session and creates its code, or stores the proof
 * for the next step.
 */
export async function accept<R = never>(
  ctx: Context,
  attempt: SignInAttempt,
  how: How,
  prove: (tx: Handle, now: number) => Promise<Proof<R>>,
): Promise<Outcome<R>> {
  const { session, application, browserDigest, renewedBrowser } = attempt;
  const { signedInWith, provider = null } = how;
  const now = ctx.clock();
  let denied: { userId: string; reason: "groups" | "organization" } | undefined;
  const outcome = await ctx.storage.write<Outcome<R>>(async (tx, rollBack) => {
    denied = undefined;
    const proof = await prove(tx, now);
    if (proof.kind === "refused") throw rollBack({ refusal: proof.refusal });
    if (proof.kind === "failed") {
      if (proof.keepsWrites) return "refused";
      // A first press of the same button may have finished it meanwhile.
      throw rollBack((await isFinished(tx, session)) ? "over" : "refused");
    }
    const { userId } = proof;
    if (session.accountUserId !== null && session.accountUserId !== userId) throw rollBack("other-account");
    if (how.proofOf !== undefined && how.proofOf !== userId) throw rollBack("refused");
    const clientId = session.authorization?.clientId ?? null;
    const complete = provenBy(session, how, now);
    const confined = isConfined(complete);
    if (confined && !mayBeConfined(session)) throw rollBack("refused");
    // Together: on PostgreSQL one round trip inside a transaction.
    const [user, hasPasskey, state] = await Promise.all([
      proof.user ?? users.find(tx, userId),
      asksForPasskeys(attempt, how) && passkeys.hasAny(tx, userId),
      acrOf(complete) === "phr" ? undefined : findFactorState(tx, userId, clientId),
    ]);
    if (!user) throw rollBack("refused");
    // Nobody has acted yet: another person may be at this browser.
    if (isPending(user) && how.isSilent === undefined) return "pending";
    if (user.disabledAt !== null) throw rollBack("refused");
    // Single sign-on has asked just now; a step after it may come later.
    const asksMark = restsOnPassword(complete) && how.continues === undefined;
    const mustChange = asksMark && (proof.mustChange ?? (await passwords.markOf(tx, userId)) !== undefined);
    if (mustChange && complete.tie !== null) throw rollBack("refused");
    const client = await clientAccess.clientOf(ctx, tx, session);
    // Before any step: the denial is about this client only. The proof stays, and so a new account.
    const deny = (reason: "groups" | "organization", said: Parameters<typeof clientAccess.denial>[2]): Outcome<R> => {
      denied = { userId, reason };
      const denial = clientAccess.denial(ctx, attempt, said);
      if (how.isSilent !== undefined) throw rollBack(denial);
      return denial;
    };
    if (!(await clientAccess.admits(tx, client, userId))) return deny("groups", { user });
    const { chosen } = how;
    const choice = await organizationChoice.decide(ctx, tx, attempt, {
      client,
      user,
      proven: complete,
      chosen,
      continues: how.proofOf !== undefined,
      showsInvitations: how.isSilent === undefined && how.chosen === undefined,
    });
    if (choice.kind === "denied") {
      // Nobody has acted yet: another person may be at this browser.
      if (how.isSilent === false) throw rollBack("refused");
      return deny("organization", { description: "This account may not use this organization." });
    }
    const { organization } = choice;
    if (organization && lacksProvider(application, organization, complete, now))
      complete.organizationProofs = await proofsOfBrowser(ctx, tx, attempt, user, complete);
    const within = { ...session, organizationId: organization?.organizationId ?? null };
    // Consent to a program of other people is never given by a trusted browser.
    const asksConsent = async (): Promise<boolean> =>
      how.consented !== true && (await clientAccess.asksConsent(tx, within, client, userId));
    const isSensitive = state?.hasFactor === true && (await asksConsent());
    const links = how.organizationProof === undefined && linksCompany(session, user, signedInWith);
    const lacksCompany =
      links || (organization !== undefined && lacksProvider(application, organization, complete, now));
    const gated = { user, proven: complete, state, isSensitive, organization, mustChange };
    const gate = await gateFor(ctx, tx, attempt, gated, now);
    // Before anybody acted, another person may be at this browser: they are asked who they are.
    if (gate.step === "unmet")
      throw rollBack(how.isSilent === undefined ? clientAccess.unmet(ctx, attempt) : "refused");
    const mayOffer = how.mayOffer === true && users.mayOfferPasskey(user, now);
    const isTrusted = complete.secondFactor === "trusted";
    const isLate = freshness.isLate(session, complete, now);
    const has = { hasPasskey: hasPasskey || gate.hasPasskey, mayOffer };
    const recovers = session.recoveryDigest !== null;
    const mustProve = signUpRules.mustProve(application.settings, user);
    const facts = { signedInWith, ...has, factor: gate.step, isLate, mustProve, isTrusted, mustChange, recovers };
    const waits = stepAfter(session.purpose, application, facts);
    // Nobody acts in a silent continuation: only what is required stops it.
    const onlyRequired = how.isSilent !== undefined;
    const asksStep = waits === "done" && begins(session);
    const asked = asksStep ? await stepOf(tx, application, user, { onlyRequired, confined }) : undefined;
    const asksOwn = asked !== undefined && confined && (await methods.list(tx, userId)).length > 0;
    const waiting = asksOwn ? undefined : asked;
    const isDone = waits === "done" && asked === undefined;
    const isAsked = isDone && choice.kind === "asked";
    const companyIsNext = isDone && !isAsked && lacksCompany;
    const consentIsNext =
      isDone && !isAsked && !companyIsNext && (isSensitive || (state?.hasFactor !== true && (await asksConsent())));
    const seesCodes = waits === "done" && how.seesCodes === true && !confined;
    const company = companyIsNext ? "company-sign-in" : undefined;
    const decision = consentIsNext ? "ask-consent" : isAsked ? "choose-organization" : (waiting ?? company);
    const next = seesCodes && !consentIsNext ? "see-codes" : (decision ?? (asksOwn ? "own-proof" : waits));
    if (next === "done") {
      const usedWay = complete.tie !== null ? null : provider === null ? signedInWith : `${signedInWith}.${provider}`;
      const { proofOf } = how;
      const finished = await finish(ctx, tx, attempt, { user, proven: complete, proofOf, choice, client }, now);
      if (finished === undefined) throw rollBack("over");
      return { ...finished, usedWay };
    }
    if (how.isSilent === true) throw rollBack({ next });
    const took = organization === undefined ? null : takenByPerson(organization.organizationId);
    const isDecision = next === "ask-consent" || next === "company-sign-in";
    const keepsAll = isDecision || (waiting !== undefined && next === waiting);
    const stored = {
      provenUserId: userId,
      // A passkey that was just created counts once it is used.
      provenWith: how.isNew === true && !keepsAll ? (session.provenWith ?? signedInWith) : signedInWith,
      provenProvider: provider,
      provenAt: complete.provenAt,
      provenElsewhereAt: complete.provenElsewhereAt,
      proofs: keepsAll || next === "choose-organization" ? complete.proofs : null,
      // Trust that is not enough here does not count in the next step either.
      secondFactor: waits === "second-factor" || waits === "use-passkey" ? null : complete.secondFactor,
      organizationProofs: complete.organizationProofs,
      browserSessionDigest: complete.tie,
      organizationId: next === "choose-organization" ? askingFor(demandOf(session)) : (demandOf(session) ?? took),
    };
    const browser = { digest: session.digest, browserDigest, renewedBrowser, proofOf: how.proofOf };
    if (!(await keepProof(tx, browser, stored, now))) throw rollBack("over");
    if (next === "choose-organization") await organizationChoice.recordOffered(ctx, tx, attempt, user);
    return { next };
  });
  if (denied) clientAccess.noteDenial(ctx, attempt, { ...denied, method: signedInWith });
  return outcome;
}

async function isFinished(tx: Handle, { digest }: SignInSession): Promise<boolean> {
  const current = await findSession(tx, digest);
  return current?.signedInAt !== null;
}

/** Whether the session is for the programs of an organization, and not for the account itself. */
function mayBeConfined({ purpose, inviteDigest, recoveryDigest, pendingLink }: SignInSession): boolean {
  const isOpen = purpose === "sign-in" || purpose === "tile";
  return isOpen && inviteDigest === null && recoveryDigest === null && pendingLink === null;
}

/** Whether an organization's provider named this person, who has now proved the account. */
function linksCompany({ companyIdentity }: SignInSession, { email }: User, provenWith: SignInMethod): boolean {
  return provenWith !== "organization" && companyIdentity !== null && companyIdentity.email === email;
}

/** Those of the sign-in, and of this person in this browser before. */
async function proofsOfBrowser(
  ctx: Context,
  tx: Handle,
  { application, currentBrowserSession }: SignInAttempt,
  { id }: User,
  proven: CompleteProof,
): Promise<OrganizationProof[] | null> {
  if (isConfined(proven)) return proven.organizationProofs;
  const browser = await browserSessions.findOwnOrConfined(ctx, tx, currentBrowserSession, application);
  if (browser?.userId !== id || browser.organizationProofs === null) return proven.organizationProofs;
  return (proven.organizationProofs ?? []).reduce(withProof, browser.organizationProofs);
}

/**
 * Somebody confined answers for the account only what nothing may be issued without, and only if it
 * has no method of its own: otherwise an own proof comes first.
 */
async function stepOf(
  handle: Handle,
  application: SignInAttempt["application"],
  user: User,
  { onlyRequired, confined }: { onlyRequired: boolean; confined: boolean },
): Promise<WaitingStep | undefined> {
  const step = await findWaitingStep(handle, application, user, { onlyRequired: onlyRequired || confined });
  return confined && step === "complete-profile" ? undefined : step;
}

/** Whether it matters before the gate that the user has a passkey. */
function asksForPasskeys({ application }: SignInAttempt, { signedInWith, mayOffer }: How): boolean {
  return dependsOnPasskeys(application, { signedInWith, mayOffer: mayOffer === true });
}

/** The session's requirements for the user's proofs. */
function askedBy(
  { session, application }: Pick<SignInAttempt, "session" | "application">,
  state: FactorState | undefined,
  organization: Membership | undefined,
  proven: ProvenFor,
  now: number,
): Asked {
  const { purpose, accountUserId, acr, maxAge, authorization } = session;
  // To change an account, or after a request for a new proof, people are asked in every browser.
  const asksAnew = purpose === "add-method" || (purpose === "account" && accountUserId !== null);
  const takesTrust = !asksAnew && acr === null && maxAge === null && (authorization?.maxAge ?? null) === null;
  // The provider's word counts for the organization and its tokens, never for another policy.
  const isTwo = provedTwoFactors(organization, proven, now);
  const lacks = organization !== undefined && lacksProvider(application, organization, proven, now);
  return {
    // Its provider may still prove two factors, and is asked next.
    isRequired: isFactorRequired(application, state) || (requiresFactor(organization) && !isTwo && !lacks),
    hasFactor: state?.hasFactor === true && !(isTwo && isConfined(proven)),
    acr: (isTwo || lacks) && acr === acrValues[1] ? null : acr,
    // With a factor used now, an owner enters without the provider.
    takesTrust: takesTrust && !(lacks && organization.roles.includes("owner")),
  };
}

/**
 * The one check of all sign-ins: the missing proofs. Writes: consumes the session's recovery link,
 * which removes the factor. A trusted browser is recorded in `proven`.
 */
async function gateFor(
  ctx: Context,
  tx: Handle,
  attempt: SignInAttempt,
  of: {
    user: User;
    proven: CompleteProof;
    state: FactorState | undefined;
    isSensitive: boolean;
    organization: Membership | undefined;
    mustChange: boolean;
  },
  now: number,
): Promise<{ step: ReturnType<typeof factorStep>; hasPasskey: boolean }> {
  const { session, application } = attempt;
  const { user, proven, state, isSensitive, organization, mustChange } = of;
  let asked = askedBy(attempt, state, organization, proven, now);
  if (isSensitive) asked = { ...asked, takesTrust: false };
  if (session.recoveryDigest !== null && !mustChange && (await recovery.use(ctx, tx, attempt, user, now)))
    asked = { ...asked, hasFactor: false };
  if (isEnough(proven, asked)) return { step: undefined, hasPasskey: false };
  if (state && asked.hasFactor && asked.takesTrust && proven.secondFactor === null && proven.tie === null)
    if (await trustedBrowsers.isTrusted(ctx, tx, { user, state, attempt }, now)) proven.secondFactor = "trusted";
  const hasPasskey = application.authMethods.passkey.enabled && (await passkeys.hasAny(tx, user.id));
  return { step: factorStep(proven, asked, hasPasskey), hasPasskey };
}

/** The user of a session's stored proof, and its next step; undefined without one. */
export async function findWaiting(
  ctx: Context,
  { session, application }: Pick<SignInAttempt, "session" | "application">,
): Promise<{ user: User; next: Step } | undefined> {
  const { provenUserId, provenWith } = session;
  const organizationId = organizationOf(session);
  if (provenUserId === null || provenWith === null) return undefined;
  const { reader } = ctx.storage;
  const [user, mark, hasPasskey, state, organization] = await Promise.all([
    users.find(reader, provenUserId),
    provenWith === "password" ? passwords.markOf(reader, provenUserId) : undefined,
    passkeys.hasAny(reader, provenUserId),
    findFactorState(reader, provenUserId, session.authorization?.clientId ?? null),
    organizationId === null ? undefined : findMembership(reader, { organizationId, userId: provenUserId }),
  ]);
  if (user?.disabledAt !== null) return undefined;
  const { proofs, secondFactor, browserSessionDigest: tie } = session;
  // `accept` takes no later step either.
  if (mark && tie !== null && restsOnPassword({ signedInWith: provenWith, proofs, secondFactor })) return undefined;
  if (isProven(session)) {
    const confined = provenWith === "organization";
    const decision = begins(session) && (await stepOf(reader, application, user, { onlyRequired: false, confined }));
    if (decision) return { user, next: decision };
    if (waitsForChoice(session)) return { user, next: "choose-organization" };
    const proven = { ...session, signedInWith: provenWith };
    if (linksCompany(session, user, provenWith)) return { user, next: "company-sign-in" };
    if (organization && lacksProvider(application, organization, proven, ctx.clock()))
      return { user, next: "company-sign-in" };
    const client = await clientAccess.clientOf(ctx, reader, session);
    const isOwn = session.authorization === null || client?.consent === "none";
    // A step waited that is no longer asked for: the person only continues.
    if (isOwn && !(await clientAccess.asksConsent(reader, session, client, user.id)))
      return { user, next: "complete-profile" };
    return { user, next: "ask-consent" };
  }
  const { organizationProofs } = session;
  const proven = { signedInWith: provenWith, proofs: null, secondFactor: session.secondFactor, organizationProofs };
  const mayUsePasskey = application.authMethods.passkey.enabled && hasPasskey;
  const asked = askedBy({ session, application }, state, organization, proven, ctx.clock());
  const factor = factorStep(proven, asked, mayUsePasskey);
  if (factor === "unmet") return undefined;
  const isTrusted = session.secondFactor === "trusted";
  const isLate = freshness.isLate(session, { ...session, provenAt: session.provenAt ?? 0 }, ctx.clock());
  const mustProve = signUpRules.mustProve(application.settings, user);
  const mustChange = mark !== undefined && session.browserSessionDigest === null;
  const [mayOffer, recovers] = [!showsCodes(session), session.recoveryDigest !== null];
  const needs = { signedInWith: provenWith, hasPasskey, mayOffer, factor, isLate, mustProve, isTrusted };
  const facts = { ...needs, mustChange, recovers };
  const next = stepAfter(session.purpose, application, facts);
  if (next !== "done") return { user, next };
  const confined = provenWith === "organization";
  const waits =
    confined && begins(session) && (await stepOf(reader, application, user, { onlyRequired: true, confined }));
  return { user, next: waits ? "own-proof" : "see-codes" };
}

/** Whether the step before was one after which recovery codes are shown. */
function showsCodes({ secondFactor }: SignInSession): boolean {
  return secondFactor === "recovery-code" || secondFactor === "new-totp";
}

/** The proof of the sign-in: this one, an earlier step's, or single sign-on. */
function provenBy(session: SignInSession, how: How, now: number): CompleteProof {
  const { signedInWith, provider = null, continues, consented, chosen, answersStep, proofOf, organizationProof } = how;
  if (continues) return { signedInWith, provider, ...continues };
  const { proofs, provenAt, browserSessionDigest: tie } = session;
  const isGiven = isGivenNow(session, how);
  // A late word of a provider does not become recent by another proof, and its factor neither.
  const isOld = isGiven && freshness.isLate(session, { ...session, provenAt: provenAt ?? 0 }, now);
  const kept = isOld && session.secondFactor === "provider" ? null : session.secondFactor;
  const secondFactor = how.secondFactor ?? (proofOf === undefined ? null : kept);
  const provenElsewhereAt = proofOf === undefined ? (how.provenElsewhereAt ?? null) : session.provenElsewhereAt;
  const before = proofOf === undefined ? null : session.organizationProofs;
  const organizationProofs = organizationProof ? withProof(before, organizationProof) : before;
  const elsewhereAt = isGiven ? null : provenElsewhereAt;
  const rest = { signedInWith, provider, secondFactor, provenElsewhereAt: elsewhereAt, organizationProofs };
  const decides = consented === true || answersStep === true || chosen !== undefined;
  if (isConfined(how)) return confinedProof(rest, decides ? tie : null);
  if ((decides || organizationProof !== undefined) && proofs !== null)
    return { ...rest, proofs, provenAt: provenAt ?? now, tie };
  // A step that proves nothing makes no proof younger. After single sign-on the person was proven
  // when that browser session says.
  const isAnew = proofOf === undefined || (isGiven && (tie === null || provenElsewhereAt !== null));
  const at = isAnew ? now : (provenAt ?? now);
  return { ...rest, proofs: proofsOf(session, how), provenAt: at, tie: null };
}

/** Its time is that of the provider's word, and its factor the person's own or none. */
function confinedProof(
  rest: Pick<CompleteProof, "signedInWith" | "provider" | "secondFactor" | "organizationProofs">,
  tie: string | null,
): CompleteProof {
  const { provenAt = 0, elsewhereAt = 0 } = rest.organizationProofs?.at(-1) ?? {};
  const secondFactor = rest.secondFactor === "provider" ? null : rest.secondFactor;
  return { ...rest, secondFactor, proofs: ["organization"], provenAt, provenElsewhereAt: elsewhereAt, tie };
}

/** Whether something is proven here and now, besides the session's stored proofs. */
function isGivenNow(
  { provenWith }: SignInSession,
  { signedInWith, proofOf, isNew, secondFactor, besides }: How,
): boolean {
  if (proofOf === undefined) return false;
  if (besides !== undefined || secondFactor === "totp" || secondFactor === "recovery-code") return true;
  return signedInWith !== provenWith && isNew !== true;
}

function proofsOf({ provenWith }: SignInSession, { signedInWith, proofOf, isNew, besides }: How): SignInProof[] {
  if (besides !== undefined) return [signedInWith, besides];
  if (proofOf === undefined || provenWith === null || provenWith === signedInWith) return [signedInWith];
  // What is the person's own stands without it.
  if (provenWith === "organization") return [signedInWith];
  return [provenWith, isNew ? "new-passkey" : signedInWith];
}
