import type { AddressChange } from "../email-tokens/address-change.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { maxEmailCharacters, newEmail } from "../lib/email.ts";
import { typedCode } from "../lib/typed-code.ts";
import { emailFormPage, type EmailFormData } from "../pages/account/form-pages.ts";
import { accountPath } from "../pages/account/parts.ts";
import { verifyEmailPage } from "../pages/account/verify-page.ts";
import type { CodeProblem } from "../pages/parts/problems.ts";
import type { AccountVisit, AccountVisits } from "./visits.ts";

const codePage = "/email/code";

/** Changing the account's address: a fresh proof to begin, then a code from the new address. */
export function createAddressPages({ visits, addressChange }: { visits: AccountVisits; addressChange: AddressChange }) {
  const placeOf = ({ user, session }: AccountVisit) => ({ user, tie: session.tie });

  function showForm(visit: AccountVisit, shown: Pick<EmailFormData, "email" | "problem">): Answer {
    const { application, browser, frame } = visit;
    if (!addressChange.available) return seeOther(accountPath(application.id));
    const body = emailFormPage(frame, { appId: application.id, token: browser.formToken, ...shown });
    return visits.page(visit, body, { status: shown.problem ? 422 : 200 });
  }

  async function showCode(visit: AccountVisit, shown: { again?: boolean; problem?: CodeProblem } = {}) {
    const { application, browser, frame } = visit;
    const email = await addressChange.waiting(placeOf(visit));
    if (email === undefined) return seeOther(accountPath(application.id));
    const { again = false, problem } = shown;
    const data = { appId: application.id, token: browser.formToken, email, isNew: true, again, problem };
    return visits.page(visit, verifyEmailPage(frame, data), { status: problem ? 422 : 200 });
  }

  return {
    /** GET /account/email */
    async form(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visitProven(request, "email");
      return isAnswer(visit) ? visit : showForm(visit, { email: "" });
    },

    /** POST /account/email */
    async ask(request: HttpRequest): Promise<Answer> {
      const posted = await visits.postProven(request, "email");
      if (isAnswer(posted)) return posted;
      const { user, application, frame, clientInfo, form } = posted;
      const typed = (form.get("email") ?? "").slice(0, maxEmailCharacters);
      const email = newEmail(typed);
      if (email === undefined || email === user.email) {
        const problem = typed.trim() === "" ? "email-missing" : email === undefined ? "email-invalid" : "email-same";
        return showForm(posted, { email: typed, problem: { kind: problem } });
      }
      if (addressChange.available) await addressChange.begin(placeOf(posted), email, { clientInfo, lang: frame.lang });
      return seeOther(accountPath(application.id, codePage));
    },

    /** GET /account/email/code */
    async codeForm(request: HttpRequest): Promise<Answer> {
      const visit = await visits.visit(request);
      return isAnswer(visit) ? visit : await showCode(visit, { again: request.query().get("again") === "1" });
    },

    /** POST /account/email/again */
    async again(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const { application, frame, clientInfo } = posted;
      await addressChange.again(placeOf(posted), { clientInfo, lang: frame.lang });
      return seeOther(`${accountPath(application.id, codePage)}&again=1`);
    },

    /** POST /account/email/code */
    async confirm(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      const code = typedCode(posted.form.get("code") ?? "");
      if (code === undefined) return await showCode(posted, { problem: { kind: "code-missing" } });
      const email = (await addressChange.waiting(placeOf(posted))) ?? "";
      const outcome = await addressChange.confirm(placeOf(posted), { code }, posted.clientInfo);
      if (outcome === "changed") return visits.done(posted, "email");
      if (outcome === "taken") return showForm(posted, { email, problem: { kind: "email-taken" } });
      return await showCode(posted, { problem: { kind: `code-${outcome}` } });
    },
  };
}
