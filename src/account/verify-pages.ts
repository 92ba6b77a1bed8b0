import type { EmailTokens } from "../email-tokens/service.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { typedCode } from "../lib/typed-code.ts";
import { accountPath } from "../pages/account/parts.ts";
import { verifyEmailPage } from "../pages/account/verify-page.ts";
import type { CodeProblem } from "../pages/parts/problems.ts";
import type { AccountVisit, AccountVisits } from "./visits.ts";

const page = "/verify-email";

/** Verifying an address from the account page. */
export function createVerifyPages({ visits, emailTokens }: { visits: AccountVisits; emailTokens: EmailTokens }) {
  /** Returns to the first page if nothing was sent or the address is already verified. */
  async function show(visit: AccountVisit, shown: { again?: boolean; problem?: CodeProblem } = {}): Promise<Answer> {
    const { user, application, browser, frame } = visit;
    const { again = false, problem } = shown;
    const { email, emailVerified } = user;
    if (email === null || emailVerified || !(await emailTokens.isVerifying(user)))
      return seeOther(accountPath(application.id));
    const data = { appId: application.id, token: browser.formToken, email, isNew: false, again, problem };
    return visits.page(visit, verifyEmailPage(frame, data), { status: problem ? 422 : 200 });
  }

  return {
    /** POST /account/verify-email */
    async send(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const { user, application, frame, clientInfo, form } = posted;
      await emailTokens.startVerify(user, { clientInfo, lang: frame.lang });
      return seeOther(`${accountPath(application.id, page)}${form.has("again") ? "&again=1" : ""}`);
    },

    /** GET /account/verify-email */
    async form(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : await show(visit, { again: request.query().get("again") === "1" });
    },

    /** POST /account/verify-email/code */
    async confirm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const code = typedCode(posted.form.get("code") ?? "");
      if (code === undefined) return await show(posted, { problem: { kind: "code-missing" } });
      const outcome = await emailTokens.confirmVerify(posted.user, { code }, posted.clientInfo);
      return outcome === "verified"
        ? visits.done(posted, "verified")
        : await show(posted, { problem: { kind: `code-${outcome}` } });
    },
  };
}
