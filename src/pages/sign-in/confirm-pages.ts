/** Creates an account once its address is verified by mail (docs/decisions/0018). */
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as mailSignUp from "../../credentials/mailed/mail-sign-up.ts";
import * as sessionTokens from "../../credentials/mailed/session-tokens.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { typedCode } from "../../lib/typed-code.ts";
import type { Context } from "../../runtime/context.ts";
import { signUpIsOpen } from "../../sign-in/session.ts";
import * as signIn from "../../sign-in/service.ts";
import * as signUp from "../../sign-in/sign-up/sign-up.ts";
import { howOf, signUpPlaceOf } from "../../sign-in/sign-up/sign-up.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import * as browsers from "../hosted/browser.ts";
import * as hosted from "../hosted/hosted.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { checkMailPage } from "./check-mail-page.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Posted, Visit } from "./visits.ts";

async function showCheckMail(
  ctx: Context,
  visit: Visit,
  { again = false, problem }: { again?: boolean; problem?: CodeProblem } = {},
): Promise<Answer> {
  const waiting = await sessionTokens.waiting(ctx, "sign-up", visit.session.digest);
  if (!waiting) return seeOther(`${pathOf(visit)}/create-account`);
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, email: waiting.email, again, problem };
  return visits.page(ctx, visit, checkMailPage(visit.frame, data), problem ? 422 : 200);
}

export async function createAccount(ctx: Context, posted: Posted, token: EmailToken): Promise<Answer> {
  const { signedInWith: method, provider = null } = howOf(token);
  const isAllowed =
    method === "oauth"
      ? provider !== null && signIn.allowsProvider(posted.session, posted.application, provider)
      : choose.allows(ctx, posted, method);
  if (!isAllowed) return choose.methodDisabled(ctx, posted, method);
  if (!signUpIsOpen(posted)) return await choose.showCreateAccount(ctx, posted);
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await signUp.byMail(ctx, proofVisit, token);
  if (outcome === "account-created" || outcome === "pending") return visits.message(posted, { kind: outcome });
  if (outcome === "link-over") return visits.message(posted, { kind: outcome, next: "app" });
  return await steps.end(ctx, proofVisit, outcome, () =>
    choose.showCreateAccount(ctx, posted, { email: token.email, problem: { kind: "cannot-create" }, status: 422 }),
  );
}

/** To the page that asks for the code, once the mail of a sign-up is queued. */
export function begun(ctx: Context, posted: Visit): Answer {
  const kept = browsers.keepForMail(ctx, posted.request, { kind: "sign-in", key: posted.sessionId });
  return { ...seeOther(`${pathOf(posted)}/confirm`), cookies: kept === undefined ? [] : [kept] };
}

/** The page that asks for the code. */
export async function page(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await visits.late(ctx, request);
  return isAnswer(visit) ? visit : await showCheckMail(ctx, visit, { again: request.query().get("again") === "1" });
}

export async function byCode(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => visits.late(ctx, request));
  if (isAnswer(posted)) return posted;
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return await showCheckMail(ctx, posted, { problem: { kind: "code-missing" } });
  const token = await sessionTokens.tryCode(ctx, "sign-up", posted.session.digest, code, posted.source);
  return typeof token === "string"
    ? await showCheckMail(ctx, posted, { problem: { kind: `code-${token}` } })
    : await createAccount(ctx, posted, token);
}

export async function again(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await hosted.post(ctx, request, () => visits.late(ctx, request));
  if (isAnswer(posted)) return posted;
  await mailSignUp.again(ctx, signUpPlaceOf(visits.forProof(ctx, posted)));
  return seeOther(`${pathOf(posted)}/confirm?again=1`);
}
