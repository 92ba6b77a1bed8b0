/** The pages on which people whom only their company signs in get a method of their own. */
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, emailProblem, maxEmailCharacters } from "../../lib/email.ts";
import { html } from "../../lib/html.ts";
import { typedCode } from "../../lib/typed-code.ts";
import { hasCompanySignIn } from "../../organizations/provider/companies.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as firstMethod from "../../sign-in/company/first-method.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { isAnswer, withRetryAfter } from "../hosted/hosted.ts";
import { emailField } from "../parts/email-field.ts";
import { factorProblemWords, type FactorProblem } from "../parts/factor-parts.ts";
import { field, pageEnd, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage } from "../parts/frame.ts";
import { codeProblemWords, createAccountProblemWords, type ProblemWords } from "../parts/problems.ts";
import { mailedCodeStep } from "./check-mail-page.ts";
import { pathOf } from "./choose-pages.ts";
import { backToSignIn } from "./forgot-password-page.ts";
import * as visits from "./visits.ts";
import type { Posted, Visit } from "./visits.ts";

function isOpen(ctx: Context, { application }: Visit): boolean {
  return hasCompanySignIn(application) && mail.available(ctx);
}

async function submitted(ctx: Context, request: HttpRequest): Promise<Posted | Answer> {
  const posted = await visits.submit(ctx, request);
  return isAnswer(posted) || isOpen(ctx, posted) ? posted : seeOther(pathOf(posted));
}

function showForm(ctx: Context, visit: Visit, email = "", problem?: ProblemWords): Answer {
  const { frame, browser } = visit;
  const { texts, look } = frame;
  const sessionPath = pathOf(visit);
  const body = html`<h1>${texts.firstMethodTitle}</h1>
    ${problemSummary(problem)}
    <p>${texts.firstMethodNext(look.name)}</p>
    <form method="post" action="${sessionPath}/first-method" novalidate>
      ${tokenField(browser.formToken)} ${emailField(frame, email, problem)}
      ${submitButton({ label: texts.emailMeCode, busy: texts.sending, look: "main" })}
    </form>
    ${backToSignIn(frame, sessionPath)}`;
  const title = texts.firstMethodTitle;
  const shown = framePage(frame, { title, body, script: true, problem: problem !== undefined, sessionPath });
  return visits.page(ctx, visit, shown, problem ? 422 : 200);
}

/** GET /sign-in/{sessionId}/first-method */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  if (isAnswer(visit)) return visit;
  return isOpen(ctx, visit) ? showForm(ctx, visit, visit.session.loginHint ?? "") : seeOther(pathOf(visit));
}

/** POST /sign-in/{sessionId}/first-method, also for another mail. */
export async function ask(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const waiting = await sessionTokens.waiting(ctx, "sign-in", posted.session.digest);
  const again = posted.form.get("again") === "1";
  const typed = (again ? waiting?.email : posted.form.get("email")) ?? "";
  const email = canonicalEmail(typed);
  if (email === undefined) {
    const problem = createAccountProblemWords(posted.frame, { kind: `email-${emailProblem(typed)}` }, 0);
    return showForm(ctx, posted, typed.slice(0, maxEmailCharacters), problem);
  }
  await firstMethod.ask(ctx, visits.forProof(ctx, posted), email);
  return seeOther(`${pathOf(posted)}/first-method/code${again ? "?again=1" : ""}`);
}

async function showCode(ctx: Context, visit: Visit, problem?: CodeProblem): Promise<Answer> {
  const waiting = await sessionTokens.waiting(ctx, "sign-in", visit.session.digest);
  const sessionPath = pathOf(visit);
  if (!waiting) return seeOther(`${sessionPath}/first-method`);
  const { frame, browser, request } = visit;
  const { texts, look } = frame;
  const words: ProblemWords | undefined =
    problem?.kind === "code-over" ? { summary: texts.firstMethodOver } : problem && codeProblemWords(frame, problem);
  const mailed = {
    email: waiting.email,
    token: browser.formToken,
    again: request.query().get("again") === "1",
    lead: texts.resetMailedTo(look.name),
    action: `${sessionPath}/first-method/code`,
    againAction: `${sessionPath}/first-method`,
  };
  return visits.page(ctx, visit, mailedCodeStep(frame, sessionPath, mailed, words), problem ? 422 : 200);
}

/** The mailed code was right, and the account has a second factor. */
function showFactor(ctx: Context, visit: Visit, code: string, problem?: FactorProblem): Answer {
  const { frame, browser } = visit;
  const { texts, look } = frame;
  const sessionPath = pathOf(visit);
  const words = problem && factorProblemWords(frame, problem);
  const shown = { label: texts.code, hint: texts.factorHint, autocomplete: "one-time-code" };
  const body = html`<h1>${texts.factorTitle}</h1>
    ${problemSummary(words)}
    <p>${texts.factorNext(look.name)}</p>
    <form method="post" action="${sessionPath}/first-method/code" novalidate>
      ${tokenField(browser.formToken)} <input type="hidden" name="mailed" value="${code}" />
      ${field(frame, { name: "code", type: "code", ...shown }, words)}
      ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>
    ${pageEnd(frame, sessionPath)}`;
  const page = framePage(frame, {
    title: texts.factorTitle,
    body,
    script: true,
    problem: words !== undefined,
    sessionPath,
  });
  const isLater = problem?.kind === "too-many-tries" || problem?.kind === "factor-blocked";
  return withRetryAfter(visits.page(ctx, visit, page, problem ? (isLater ? 429 : 422) : 200), problem);
}

/** GET /sign-in/{sessionId}/first-method/code */
export async function codePage(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showCode(ctx, visit);
}

/** POST /sign-in/{sessionId}/first-method/code: the mailed code, then with the factor's. */
export async function byCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await submitted(ctx, request);
  if (isAnswer(posted)) return posted;
  const mailed = posted.form.get("mailed");
  const code = typedCode(mailed ?? posted.form.get("code") ?? "");
  if (code === undefined) return await showCode(ctx, posted, { kind: "code-missing" });
  const factor = mailed === undefined ? undefined : (posted.form.get("code") ?? "");
  const outcome = await firstMethod.byCode(ctx, visits.forProof(ctx, posted), { code, factor });
  if (outcome === "asks-factor") return showFactor(ctx, posted, code);
  if (typeof outcome === "string") return await showCode(ctx, posted, { kind: `code-${outcome}` });
  return "refusal" in outcome ? showFactor(ctx, posted, code, outcome.refusal) : seeOther(outcome.link);
}
