/** Signing in by the provider of an organization: the way there, the return, and what follows. */
import { appHome } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, emailProblem, maxEmailCharacters } from "../../lib/email.ts";
import { typedCode } from "../../lib/typed-code.ts";
import * as companies from "../../organizations/provider/companies.ts";
import { findIdentity } from "../../organizations/provider/identity-store.ts";
import * as companyVisits from "../../companies/visits.ts";
import { findOrganization } from "../../organizations/store.ts";
import type { Context } from "../../runtime/context.ts";
import * as companySignIn from "../../sign-in/company/company-sign-in.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import * as proofs from "../../sign-in/proofs.ts";
import * as signIn from "../../sign-in/service.ts";
import type { CompanyIdentity } from "../../storage/column-types.ts";
import { finishTrial } from "../account/own-provider-pages.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { codeProblemWords, createAccountProblemWords } from "../parts/problems.ts";
import { mailedCodeStep } from "./check-mail-page.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import { companyBeforePage } from "./company-page.ts";
import * as shows from "./company-steps.ts";
import type { CompanyProblem } from "./company-steps.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { ProofVisit, Visit } from "./visits.ts";

/** GET /sign-in/{sessionId}/company */
export async function page(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  const waiting = await proofs.findWaiting(ctx, visit);
  if (waiting?.next === "company-sign-in") return await shows.showStep(ctx, visit, waiting.user);
  const arrived = await shows.showArrival(ctx, visit);
  if (arrived) return arrived;
  if (!choose.mayLead(ctx, visit)) return seeOther(pathOf(visit));
  const led = await shows.ledTo(ctx, visit);
  return led ? shows.showBefore(ctx, visit, led.company) : shows.showAddress(ctx, visit);
}

/** POST /sign-in/{sessionId}/company: an address, or the press on the page that named a company. */
export async function lead(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await proofs.findWaiting(ctx, posted);
  const proven = waiting?.next === "company-sign-in" ? waiting.user : undefined;
  if (!proven && !choose.mayLead(ctx, posted)) return seeOther(pathOf(posted));
  const { form, application } = posted;
  const { reader } = ctx.storage;
  const agreed = form.get("organization");
  const typed = form.get("email");
  if (typed === undefined) {
    const company = agreed === undefined ? undefined : await companies.byId(ctx, reader, application, agreed);
    return company ? await shows.leaveFor(ctx, posted, company, { proven }) : shows.showAddress(ctx, posted);
  }
  const email = canonicalEmail(typed);
  const shown = typed.slice(0, maxEmailCharacters);
  if (email === undefined) {
    const problem = createAccountProblemWords(posted.frame, { kind: `email-${emailProblem(typed)}` }, 0);
    return shows.showAddress(ctx, posted, { email: shown, problem });
  }
  const company = await companies.byAddress(ctx, reader, application, email);
  if (!company) {
    const problem = { summary: posted.frame.texts.companyNone };
    return shows.showAddress(ctx, posted, { email: shown, problem });
  }
  // The address may be another company's than the page named.
  return company.organization.id === agreed
    ? await shows.leaveFor(ctx, posted, company, { email })
    : shows.showBefore(ctx, posted, company, { email });
}

/** GET /oauth/{organizationId}/callback */
export async function callback(ctx: Context, request: HttpRequest, organizationId: string): Promise<Answer> {
  const query = request.query();
  const state = query.get("state") ?? "";
  const came = await companyVisits.consume(ctx, organizationId, state);
  if (came?.purpose === "trial") return await finishTrial(ctx, request, { ...came, organizationId });
  const visit = await visits.visit(ctx, request, came?.sessionId ?? "");
  if (isAnswer(visit)) return visit;
  if (came?.browserDigest !== visit.browser.digest) return visits.message(visit, { kind: "other-browser" });
  const company = await companies.byId(ctx, ctx.storage.reader, visit.application, organizationId);
  if (company?.provider.issuer !== came.issuer) return await shows.showRefused(ctx, visit, organizationId, "changed");
  const code = query.get("code");
  const isSilent = came.purpose === "silent";
  if (code === undefined) return await notThere(ctx, visit, company, { error: query.get("error"), isSilent });
  const proofVisit = visits.forProof(ctx, visit);
  const answer = { state, code, iss: query.get("iss"), expected: isSilent ? came.userId : null };
  const outcome = await companySignIn
    .arrive(ctx, proofVisit, company.provider, answer)
    .catch((error: unknown) => ({ error }));
  if (typeof outcome === "object" && "error" in outcome) {
    shows.logFailure(ctx, visit, company.provider, outcome.error);
    return await showAgain(ctx, visit, company, "failing");
  }
  if (outcome === "ask")
    return visits.enter(ctx, { ...visit, browser: proofVisit.renewed }, `${pathOf(visit)}/company`);
  return await end(ctx, proofVisit, outcome, organizationId);
}

/** The person cancelled there, or the provider refused. Neither says that it fails. */
async function notThere(
  ctx: Context,
  visit: Visit,
  company: companies.Company,
  { error, isSilent }: { error: string | undefined; isSilent: boolean },
): Promise<Answer> {
  // Its page is next, which leads there with a press.
  if (isSilent) return seeOther(`${pathOf(visit)}?asked=1`);
  return await showAgain(ctx, visit, company, error === "access_denied" ? "cancelled" : "failing");
}

async function showAgain(
  ctx: Context,
  visit: Visit,
  company: companies.Company,
  problem: CompanyProblem,
): Promise<Answer> {
  const waiting = await proofs.findWaiting(ctx, visit);
  return waiting?.next === "company-sign-in"
    ? await shows.showStep(ctx, visit, waiting.user, problem)
    : shows.showBefore(ctx, visit, company, { problem });
}

async function end(
  ctx: Context,
  proofVisit: ProofVisit,
  outcome: Awaited<ReturnType<typeof companySignIn.agree>>,
  organizationId: string,
  identity = proofVisit.session.companyIdentity,
): Promise<Answer> {
  if (typeof outcome === "object" && "refusal" in outcome) {
    const { refusal } = outcome;
    const problem = typeof refusal === "string" ? factorProblems[refusal] : refusal;
    const asked = problem && (await shows.showArrival(ctx, proofVisit, problem));
    if (asked) return asked;
    return await shows.showRefused(ctx, proofVisit, organizationId, refusal as companySignIn.CompanyRefusal);
  }
  const answer = await steps.end(ctx, proofVisit, outcome, ({ kind }) =>
    shows.showRefused(ctx, proofVisit, organizationId, kind === "other-account" ? kind : "changed"),
  );
  const userId = typeof outcome === "object" && identity ? await userOf(ctx, identity) : undefined;
  if (userId === undefined) return answer;
  const cookie = browsers.companyCookie(ctx, proofVisit.request, proofVisit.application.id, { organizationId, userId });
  return { ...answer, cookies: [...(answer.cookies ?? []), cookie] };
}

async function userOf(ctx: Context, identity: CompanyIdentity): Promise<string | undefined> {
  return (await findIdentity(ctx.storage.reader, identity))?.userId;
}

/** POST /sign-in/{sessionId}/company/agree */
export async function agree(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const organizationId = posted.session.companyIdentity?.organizationId;
  if (organizationId === undefined) return seeOther(pathOf(posted));
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await companySignIn.agree(ctx, proofVisit, { code: posted.form.get("code") });
  return await end(ctx, proofVisit, outcome, organizationId);
}

/** POST /sign-in/{sessionId}/company/leave */
export async function leave(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  await companySignIn.leave(ctx, visits.forProof(ctx, posted));
  return seeOther(`${pathOf(posted)}?own=1`);
}

/** POST /sign-in/{sessionId}/company/mail, also for another mail. */
export async function mailCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const isAsked = await companySignIn.mailCode(ctx, visits.forProof(ctx, posted));
  const again = posted.form.get("again") === "1" ? "?again=1" : "";
  return seeOther(isAsked ? `${pathOf(posted)}/company/code${again}` : `${pathOf(posted)}/company`);
}

async function showCode(ctx: Context, visit: Visit, problem?: CodeProblem): Promise<Answer> {
  const email = visit.session.companyIdentity?.email ?? undefined;
  const token = await sessionTokens.waiting(ctx, "sign-in", visit.session.digest);
  if (email === undefined || token?.email !== email) return seeOther(`${pathOf(visit)}/company`);
  const sessionPath = pathOf(visit);
  const { frame, request, browser } = visit;
  const words = problem && codeProblemWords(frame, problem);
  const form = {
    email,
    token: browser.formToken,
    again: request.query().get("again") === "1",
    action: `${sessionPath}/company/code`,
    againAction: `${sessionPath}/company/mail`,
  };
  return visits.page(ctx, visit, mailedCodeStep(frame, sessionPath, form, words), problem ? 422 : 200);
}

/** GET /sign-in/{sessionId}/company/code */
export async function codePage(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showCode(ctx, visit);
}

/** POST /sign-in/{sessionId}/company/code */
export async function byCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return await showCode(ctx, posted, { kind: "code-missing" });
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await companySignIn.byCode(ctx, proofVisit, code);
  if (outcome !== "proven") return await showCode(ctx, posted, { kind: `code-${outcome}` });
  return visits.enter(ctx, { ...posted, browser: proofVisit.renewed }, `${pathOf(posted)}/company`);
}

/** The mail's link, in the browser that asked for it. */
export async function byLink(ctx: Context, visit: Visit, token: EmailToken): Promise<Answer> {
  const proofVisit = visits.forProof(ctx, visit);
  if ((await companySignIn.byToken(ctx, proofVisit, token)) === "over")
    return visits.message(visit, { kind: "link-over", next: "app" });
  return visits.enter(ctx, { ...visit, browser: proofVisit.renewed }, `${pathOf(visit)}/company`);
}

/** A tile of the company's own page: nobody began it here (OpenID Connect Core 1.0 §4). */
async function tile(ctx: Context, request: HttpRequest, organizationId: string) {
  const organization = await findOrganization(ctx.storage.reader, organizationId);
  const application = organization && (await applications.find(ctx, ctx.storage.reader, organization.appId));
  const company = application && (await companies.byId(ctx, ctx.storage.reader, application, organizationId));
  if (!application || !company) return hosted.message(hosted.frameFor(ctx, request), { kind: "no-page" });
  const backUrl = appHome(application);
  const frame = hosted.frameFor(ctx, request, { application, backUrl });
  const browser = browsers.meet(ctx, request, { kind: "sign-in", key: `tile ${organizationId}` });
  return { request, application, company, frame, browser };
}

/** GET /oauth/{organizationId}/start */
export async function tilePage(ctx: Context, request: HttpRequest, organizationId: string): Promise<Answer> {
  const visit = await tile(ctx, request, organizationId);
  if (isAnswer(visit)) return visit;
  const { company, frame, browser } = visit;
  if ((request.query().get("iss") ?? company.provider.issuer) !== company.provider.issuer)
    return hosted.message(frame, { kind: "bad-link", details: "iss: not this organization's", requestId: request.id });
  const body = companyBeforePage(frame, {
    sessionPath: "",
    action: `/oauth/${organizationId}/start`,
    token: browser.formToken,
    company: shows.named(company),
    email: undefined,
    isRequired: false,
  });
  return hosted.page(frame, body, { cookies: [browser.setCookie] });
}

/** POST /oauth/{organizationId}/start */
export async function startTile(ctx: Context, request: HttpRequest, organizationId: string): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => tile(ctx, request, organizationId));
  if (isAnswer(posted)) return posted;
  const begun = signIn.newTile(ctx, posted.application, organizationId);
  const visit = visits.begin(ctx, request, begun);
  await signIn.store(ctx, { ...begun, session: { ...begun.session, browserDigest: visit.browser.digest } });
  return await shows.leaveFor(ctx, visit, posted.company, {});
}

const factorProblems: Partial<Record<string, { kind: "factor-malformed" | "factor-wrong" }>> = {
  "factor-malformed": { kind: "factor-malformed" },
  "factor-wrong": { kind: "factor-wrong" },
};
