import type { EmailToken } from "../../email-tokens/email-token.ts";
import type { MailSignUp } from "../../email-tokens/mail-sign-up.ts";
import type { Browsers } from "../../hosted/browser.ts";
import { isAnswer, type Hosted } from "../../hosted/hosted.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { typedCode } from "../../lib/typed-code.ts";
import { checkMailPage } from "../../pages/sign-in/check-mail-page.ts";
import type { CodeProblem } from "../../pages/parts/problems.ts";
import { pathOf, type ChoosePages } from "../choose-pages.ts";
import { signUpIsOpen } from "../session.ts";
import { methodOf, signUpPlaceOf, type SignUp } from "./sign-up.ts";
import type { StepPages } from "../step-pages.ts";
import type { Posted, Visit, Visits } from "../visits.ts";

export type ConfirmPages = ReturnType<typeof createConfirmPages>;

/** Creates an account once its address is verified by mail (docs/decisions/0018). */
export function createConfirmPages(deps: {
  hosted: Hosted;
  browsers: Browsers;
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  signUp: SignUp;
  mailSignUp: MailSignUp;
}) {
  const { hosted, browsers, visits, choose, steps, signUp, mailSignUp } = deps;

  async function showCheckMail(
    visit: Visit,
    { again = false, problem }: { again?: boolean; problem?: CodeProblem } = {},
  ): Promise<Answer> {
    const waiting = await mailSignUp.waiting(visit.session.digest);
    if (!waiting) return seeOther(`${pathOf(visit)}/create-account`);
    const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, email: waiting.email, again, problem };
    return visits.page(visit, checkMailPage(visit.frame, data), problem ? 422 : 200);
  }

  async function createAccount(posted: Posted, token: EmailToken): Promise<Answer> {
    const method = methodOf(token);
    if (!choose.allows(posted, method)) return choose.methodDisabled(posted, method);
    if (!signUpIsOpen(posted)) return await choose.showCreateAccount(posted);
    const proofVisit = visits.forProof(posted);
    const outcome = await signUp.byMail(proofVisit, token);
    if (outcome === "account-created") return visits.message(posted, { kind: outcome });
    if (outcome === "link-over") return visits.message(posted, { kind: outcome, next: "app" });
    return await steps.end(proofVisit, outcome, () =>
      choose.showCreateAccount(posted, { email: token.email, problem: { kind: "cannot-create" }, status: 422 }),
    );
  }

  return {
    createAccount,

    /** To the page that asks for the code, once the mail of a sign-up is queued. */
    begun(posted: Posted): Answer {
      const kept = browsers.keepForMail(posted.request, { kind: "sign-in", key: posted.sessionId });
      return { ...seeOther(`${pathOf(posted)}/confirm`), cookies: kept === undefined ? [] : [kept] };
    },

    /** The page that asks for the code. */
    async page(request: HttpRequest): Promise<Answer> {
      const visit = await visits.late(request);
      return isAnswer(visit) ? visit : await showCheckMail(visit, { again: request.query().get("again") === "1" });
    },

    async byCode(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => visits.late(request));
      if (isAnswer(posted)) return posted;
      const code = typedCode(posted.form.get("code") ?? "");
      if (code === undefined) return await showCheckMail(posted, { problem: { kind: "code-missing" } });
      const token = await mailSignUp.tryCode(posted.session.digest, code, posted.clientInfo);
      return typeof token === "string"
        ? await showCheckMail(posted, { problem: { kind: `code-${token}` } })
        : await createAccount(posted, token);
    },

    async again(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.post(request, () => visits.late(request));
      if (isAnswer(posted)) return posted;
      await mailSignUp.again(signUpPlaceOf(visits.forProof(posted)));
      return seeOther(`${pathOf(posted)}/confirm?again=1`);
    },
  };
}
