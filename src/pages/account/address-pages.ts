/** Changing the account's address: a fresh proof to begin, then a code from the new address. */
import * as signUpRules from "../../applications/sign-up/service.ts";
import * as addressChange from "../../credentials/mailed/address-change.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { emailProblem, maxEmailCharacters, newEmail } from "../../lib/email.ts";
import { typedCode } from "../../lib/typed-code.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { emailFormPage, type EmailFormData } from "./form-pages.ts";
import { accountPath } from "./parts.ts";
import { verifyEmailPage } from "./verify-pages.ts";
import * as accountVisits from "./visits.ts";
import type { SignedInVisit } from "./visits.ts";

const codePage = "/email/code";

function placeOf({ user, session }: SignedInVisit) {
  return { user, tie: session.tie };
}

function showForm(ctx: Context, visit: SignedInVisit, shown: Pick<EmailFormData, "email" | "problem">): Answer {
  const { application, browser, frame } = visit;
  if (!mail.available(ctx)) return seeOther(accountPath(application.id));
  const body = emailFormPage(frame, { appId: application.id, token: browser.formToken, ...shown });
  return accountVisits.page(visit, body, { status: shown.problem ? 422 : 200 });
}

async function showCode(ctx: Context, visit: SignedInVisit, shown: { again?: boolean; problem?: CodeProblem } = {}) {
  const { application, browser, frame } = visit;
  const email = await addressChange.waiting(ctx, placeOf(visit));
  if (email === undefined) return seeOther(accountPath(application.id));
  const { again = false, problem } = shown;
  const data = { appId: application.id, token: browser.formToken, email, isNew: true, again, problem };
  return accountVisits.page(visit, verifyEmailPage(frame, data), { status: problem ? 422 : 200 });
}

/** GET /account/email */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visitProven(ctx, request, "email");
  return isAnswer(visit) ? visit : showForm(ctx, visit, { email: "" });
}

/** POST /account/email */
export async function ask(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.postProven(ctx, request, "email");
  if (isAnswer(posted)) return posted;
  const { user, application, frame, source, form } = posted;
  const typed = (form.get("email") ?? "").slice(0, maxEmailCharacters);
  const email = newEmail(typed);
  if (email === undefined || email === user.email) {
    const kind = email === undefined ? (`email-${emailProblem(typed)}` as const) : "email-same";
    return showForm(ctx, posted, { email: typed, problem: { kind } });
  }
  const refusal = signUpRules.problemWith(ctx, application, email);
  if (refusal) {
    const allowed = signUpRules.namedDomains(application, refusal);
    return showForm(ctx, posted, { email: typed, problem: { kind: "email-refused", allowed } });
  }
  const asker = { source, lang: frame.lang };
  const acted = await accountVisits.act(ctx, posted, "email", async (within) => {
    if (mail.available(ctx)) await addressChange.begin(within, placeOf(posted), email, asker);
  });
  if (!("done" in acted)) return acted;
  return seeOther(accountPath(application.id, codePage));
}

/** GET /account/email/code */
export async function codeForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  return isAnswer(visit) ? visit : await showCode(ctx, visit, { again: request.query().get("again") === "1" });
}

/** POST /account/email/again */
export async function again(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { application, frame, source } = posted;
  await addressChange.again(ctx, placeOf(posted), { source, lang: frame.lang });
  return seeOther(`${accountPath(application.id, codePage)}&again=1`);
}

/** POST /account/email/code */
export async function confirm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return await showCode(ctx, posted, { problem: { kind: "code-missing" } });
  const email = (await addressChange.waiting(ctx, placeOf(posted))) ?? "";
  const outcome = await addressChange.confirm(ctx, placeOf(posted), { code }, posted.source);
  if (outcome === "changed") return accountVisits.done(posted, "email");
  if (outcome === "taken") return showForm(ctx, posted, { email, problem: { kind: "email-taken" } });
  return await showCode(ctx, posted, { problem: { kind: `code-${outcome}` } });
}
