/** Verifying an address from the account page. */
import * as emailTokens from "../../credentials/mailed/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { html, type Html } from "../../lib/html.ts";
import { typedCode } from "../../lib/typed-code.ts";
import type { Context } from "../../runtime/context.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { problemSummary } from "../parts/form-parts.ts";
import type { Frame } from "../parts/frame.ts";
import { codeProblemWords } from "../parts/problems.ts";
import { mailedCodeForm } from "../sign-in/check-mail-page.ts";
import { accountPath, accountFrame, backLink, type AccountPlace } from "./parts.ts";
import * as accountVisits from "./visits.ts";
import type { SignedInVisit } from "./visits.ts";

const page = "/verify-email";

/** Returns to the first page if nothing was sent or the address is already verified. */
async function show(
  ctx: Context,
  visit: SignedInVisit,
  shown: { again?: boolean; problem?: CodeProblem } = {},
): Promise<Answer> {
  const { user, application, browser, frame } = visit;
  const { again = false, problem } = shown;
  const { email, emailVerified } = user;
  if (email === null || emailVerified || !(await emailTokens.isVerifying(ctx, user)))
    return seeOther(accountPath(application.id));
  const data = { appId: application.id, token: browser.formToken, email, isNew: false, again, problem };
  return accountVisits.page(visit, verifyEmailPage(frame, data), { status: problem ? 422 : 200 });
}

/** POST /account/verify-email */
export async function send(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const { user, application, frame, source, form } = posted;
  await emailTokens.startVerify(ctx, user, { source, lang: frame.lang });
  return seeOther(`${accountPath(application.id, page)}${form.has("again") ? "&again=1" : ""}`);
}

/** GET /account/verify-email */
export async function form(ctx: Context, request: HttpRequest): Promise<Answer> {
  const visit = await accountVisits.visit(ctx, request);
  return isAnswer(visit) ? visit : await show(ctx, visit, { again: request.query().get("again") === "1" });
}

/** POST /account/verify-email/code */
export async function confirm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await accountVisits.post(ctx, request);
  if (isAnswer(posted)) return posted;
  const code = typedCode(posted.form.get("code") ?? "");
  if (code === undefined) return await show(ctx, posted, { problem: { kind: "code-missing" } });
  const outcome = await emailTokens.confirmVerify(ctx, posted.user, { code }, posted.source);
  return outcome === "verified"
    ? accountVisits.done(posted, "verified")
    : await show(ctx, posted, { problem: { kind: `code-${outcome}` } });
}

export type VerifyEmailData = AccountPlace & {
  /** The account's address, or the new one that replaces it. */
  email: string;
  isNew: boolean;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/** Asks for the code in the mail that verifies an address. The mail's link does the same. */
export function verifyEmailPage(frame: Frame, data: VerifyEmailData): Html {
  const { texts } = frame;
  const { appId, isNew } = data;
  const action = accountPath(appId, isNew ? "/email/code" : "/verify-email/code");
  const againAction = accountPath(appId, isNew ? "/email/again" : "/verify-email");
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, { ...data, action, againAction }, words)}
    ${backLink(frame, appId, texts.backToAccount)}`;
  return accountFrame(frame, { title, body, problem: words !== undefined });
}
