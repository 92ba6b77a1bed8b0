/**
 * The step after a proof: a required or offered passkey, adding a method, or the way back to the
 * app.
 */
import * as passkeys from "../../credentials/passkeys/service.ts";
import { json, seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { Context } from "../../runtime/context.ts";
import * as freshProofs from "../../sign-in/fresh-proofs.ts";
import * as passkeySignIn from "../../sign-in/passkeys/passkey-sign-in.ts";
import * as formLinks from "../../sign-in/passwords/form-links.ts";
import * as proofs from "../../sign-in/proofs.ts";
import type { Outcome } from "../../sign-in/proofs.ts";
import { conflictOf } from "../../sign-in/session.ts";
import { passkeyPlaceOf } from "../../sign-in/sign-in-attempt.ts";
import type { Step } from "../../sign-in/steps.ts";
import type { User } from "../../users/user.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { FactorProblem } from "../parts/factor-parts.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as add from "./add-pages.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as companySteps from "./company-steps.ts";
import * as consentPages from "./consent-pages.ts";
import * as departures from "./oauth-starts.ts";
import * as factorSteps from "./factor-steps.ts";
import { passkeyStepPage, type PasskeyStepData } from "./passkey-step-page.ts";
import * as newPasswordStep from "./new-password-step.ts";
import * as organizationPages from "./organization-pages.ts";
import * as proveAnewStep from "./prove-anew-step.ts";
import { takeOverQuestion } from "./take-over-question.ts";
import * as visits from "./visits.ts";
import * as waitingSteps from "./waiting-step-pages.ts";
import type { ProofVisit, Posted, Visit } from "./visits.ts";

type Problem = PasskeyStepData["problem"];

/** A passkey that did not work as the second factor. */
function asFactorProblem(problem: Problem): FactorProblem | undefined {
  return problem && { kind: problem.kind === "passkey-exists" ? "passkey-failed" : problem.kind };
}

/** No passkey is created in that step. */
function asSignInProblem({ kind }: Exclude<Problem, undefined>): SignInProblem {
  return { kind: kind === "passkey-exists" ? "passkey-failed" : kind };
}

async function show(
  ctx: Context,
  visit: Visit,
  { next, user }: { next: Exclude<Step, "done" | "ask-consent">; user: User },
  { problem, quietly = false }: { problem?: Problem; quietly?: boolean } = {},
): Promise<Answer> {
  if (next === "add-method") return await add.show(ctx, visit);
  if (next === "second-factor") return await factorSteps.showSecondFactor(ctx, visit, user, asFactorProblem(problem));
  if (next === "set-up-factor") return await factorSteps.showSetUp(ctx, visit, user);
  if (next === "prove-anew" || next === "own-proof")
    return await proveAnewStep.show(ctx, visit, user, problem && asSignInProblem(problem));
  if (next === "new-password") return await newPasswordStep.show(ctx, visit, user);
  if (next === "accept-terms") return await waitingSteps.showTerms(ctx, visit, user);
  if (next === "complete-profile") return await waitingSteps.showProfile(ctx, visit, user);
  if (next === "choose-organization") return await organizationPages.show(ctx, visit, user);
  if (next === "see-codes") return await factorSteps.showCodes(ctx, visit, user, visit.session);
  if (next === "company-sign-in") return await companySteps.showStep(ctx, visit, user);
  const step = ({ "use-passkey": "use", "create-passkey": "create", "offer-passkey": "offer" } as const)[next];
  const data = { step, sessionPath: pathOf(visit), token: visit.browser.formToken, problem, quietly };
  return visits.page(ctx, visit, passkeyStepPage(visit.frame, data), problem ? 422 : 200);
}

/**
 * Shows the outcome of every proof: redirects to the app or the next step, or shows an error
 * page. `again` shows the problem with the proof.
 */
export async function end(
  ctx: Context,
  proofVisit: ProofVisit,
  outcome: Outcome | "other-browser",
  again: (problem: SignInProblem) => Promise<Answer>,
): Promise<Answer> {
  if (outcome === "over") return await visits.over(ctx, proofVisit);
  if (outcome === "pending") return visits.message(proofVisit, { kind: outcome });
  if (outcome === "other-browser") return visits.message(proofVisit, { kind: outcome });
  if (outcome === "other-account" || outcome === "refused")
    return await again({ kind: outcome === "refused" ? "wrong-credentials" : outcome });
  // Keep the cookies: with the session's own, a returning browser sees "You're signed in".
  if ("response" in outcome)
    return visits.respond(proofVisit, outcome.response, visits.cookiesAtEnd(ctx, proofVisit, outcome));
  // Redirect, so that reloading the page does not repeat the password.
  return visits.enter(ctx, { ...proofVisit, browser: proofVisit.renewed }, pathOf(proofVisit));
}

/** A script cannot show a page, so every problem is one error. */
async function scriptPost(
  ctx: Context,
  request: HttpRequest,
  fits: (next: Step, posted: Posted) => boolean,
): Promise<{ posted: Posted; user: User }> {
  const posted = await visits.post(ctx, request);
  const waiting = isAnswer(posted) ? undefined : await proofs.findWaiting(ctx, posted);
  if (isAnswer(posted) || !waiting || !fits(waiting.next, posted) || !passkeys.available(ctx))
    throw invalidRequest("session", "cannot be used by this browser now");
  return { posted, user: waiting.user };
}

async function submitted(
  ctx: Context,
  request: HttpRequest,
  fits: (next: Step, posted: Posted) => boolean,
  work: (proofVisit: ProofVisit & Posted, user: User, next: Step) => Promise<Answer>,
): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  // An old page: the session's own page shows the current step.
  if (!waiting || !fits(waiting.next, posted)) return seeOther(pathOf(posted));
  return await work(visits.forProof(ctx, posted), waiting.user, waiting.next);
}

/** A passkey is a second factor wherever one is asked for. */
function takesPasskey(next: Step): boolean {
  return ["use-passkey", "second-factor", "prove-anew", "new-password", "own-proof", "company-sign-in"].includes(next);
}

function ceremonyOf({ form }: Posted) {
  return form.has("conditional") ? "conditional" : "add";
}

/** Conditional creation only adds an offered passkey, and so only right after a password. */
function creates(next: Step, posted: Posted): boolean {
  return next === "offer-passkey" || (next === "create-passkey" && ceremonyOf(posted) === "add");
}

/**
 * The first page of a session: its pending step, the requested provider, or the choice of
 * methods.
 */
export async function page(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  const asksFirst = await takeOverQuestion(ctx, visit);
  if (asksFirst) return asksFirst;
  const waiting = await proofs.findWaiting(ctx, visit);
  const proven = waiting?.next === "company-sign-in" ? waiting.user : undefined;
  const silent = waiting && !proven ? undefined : await companySteps.silently(ctx, visit, proven);
  if (silent) return silent;
  if (waiting?.next === "ask-consent") return await consentPages.show(ctx, visit, waiting.user);
  if (waiting && waiting.next !== "done")
    return await show(ctx, visit, { ...waiting, next: waiting.next }, { quietly: waiting.next === "offer-passkey" });
  if (
    visit.session.purpose === "add-method" &&
    (await freshProofs.find(ctx, ctx.storage.reader, visits.forProof(ctx, visit)))
  )
    return await add.show(ctx, visit);
  // The invitation was used or replaced. Nothing else can authenticate the user in this session.
  if (visit.session.inviteDigest !== null) return visits.message(visit, { kind: "link-over", next: "app" });
  const { provider } = visit.session;
  const company = await companyFirst(ctx, visit);
  if (company) return company;
  return provider === null || conflictOf(visit.session) !== undefined || request.onlyLooks
    ? await choose.showSignIn(ctx, visit, linked(ctx, visit))
    : await departures.startByVisit(ctx, visit, provider);
}

/** Whom a company's provider named, or the company by which this browser came before. */
async function companyFirst(ctx: Context, visit: Visit): Promise<Answer | undefined> {
  if (visit.request.query().get("own") === "1" || conflictOf(visit.session)) return undefined;
  const arrived = await companySteps.showArrival(ctx, visit);
  const led = arrived ? undefined : await companySteps.ledTo(ctx, visit);
  return arrived ?? (led && companySteps.showBefore(ctx, visit, led.company));
}

/** What a mailed link to the form for a password fills in. */
function linked(ctx: Context, { request, sessionId }: Visit): { email: string; pass: string } | undefined {
  const pass = request.query().get("form");
  const email = formLinks.accountOf(ctx, sessionId, pass);
  return email === undefined || pass === undefined ? undefined : { email, pass };
}

export async function usePasskeyOptions(ctx: Context, request: HttpRequest): Promise<Answer> {
  const { posted, user } = await scriptPost(ctx, request, takesPasskey);
  return json({
    options: await passkeys.stepOptions(
      ctx,
      posted.application,
      passkeyPlaceOf(posted.session, posted.browser.digest),
      user.id,
    ),
  });
}

export async function usePasskey(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(ctx, request, takesPasskey, async (proofVisit, user, next) => {
    const again = (kind: "passkey-failed" | "passkey-unknown" | "passkey-changed"): Promise<Answer> =>
      show(ctx, proofVisit, { next: next as "use-passkey", user }, { problem: { kind } });
    const outcome = await passkeySignIn.completeWith(ctx, proofVisit, user, proofVisit.form.get("credential") ?? "");
    if (typeof outcome === "object" && "refusal" in outcome) return await again(`passkey-${outcome.refusal}`);
    return await end(ctx, proofVisit, outcome, () => again("passkey-failed"));
  });
}

export async function newPasskeyOptions(ctx: Context, request: HttpRequest): Promise<Answer> {
  const { posted, user } = await scriptPost(ctx, request, creates);
  return json({
    options: await passkeys.addOptions(
      ctx,
      posted.application,
      passkeyPlaceOf(posted.session, posted.browser.digest),
      user,
      ceremonyOf(posted),
    ),
  });
}

export async function newPasskey(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(ctx, request, creates, async (proofVisit, user, next) => {
    const ceremony = ceremonyOf(proofVisit);
    // Nobody asked for a conditional creation: its failure is not shown, and not repeated.
    const again = (kind: "passkey-exists" | "passkey-failed"): Promise<Answer> =>
      show(ctx, proofVisit, { next: next as "create-passkey", user }, ceremony === "add" ? { problem: { kind } } : {});
    const outcome = await passkeySignIn.create(
      ctx,
      proofVisit,
      user,
      ceremony,
      proofVisit.form.get("credential") ?? "",
    );
    if (typeof outcome === "object" && "refusal" in outcome) return await again("passkey-exists");
    return await end(ctx, proofVisit, outcome, () => again("passkey-failed"));
  });
}

/** "Not now", only for an offered passkey. */
export async function skip(ctx: Context, request: HttpRequest): Promise<Answer> {
  return await submitted(
    ctx,
    request,
    (next) => next === "offer-passkey",
    async (proofVisit, user) => {
      const outcome = await passkeySignIn.decline(ctx, proofVisit, user);
      if (outcome === undefined) return seeOther(pathOf(proofVisit));
      return await end(ctx, proofVisit, outcome, () => choose.showSignIn(ctx, proofVisit));
    },
  );
}
