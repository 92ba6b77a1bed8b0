import type { Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail, maxEmailCharacters } from "../../lib/email.ts";
import { maxNameCharacters } from "../../lib/text.ts";
import type { CreateAccountProblem, SignInProblem } from "../../pages/parts/problems.ts";
import { isAnswer, orTryLater } from "../../hosted/hosted.ts";
import type { ChoosePages } from "../choose-pages.ts";
import type { ConfirmPages } from "../sign-up/confirm-pages.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { signUpIsOpen } from "../session.ts";
import type { SignUp } from "../sign-up/sign-up.ts";
import type { StepPages } from "../step-pages.ts";
import type { Posted, Visits } from "../visits.ts";

export function createPasswordPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  confirm: ConfirmPages;
  passwordSignIn: PasswordSignIn;
  signUp: SignUp;
}) {
  const { visits, choose, steps, confirm, passwordSignIn, signUp } = deps;

  async function signInWith(posted: Posted): Promise<Answer> {
    const typed = posted.form.get("email") ?? "";
    const password = posted.form.get("password") ?? "";
    const again = (problem: SignInProblem, status: number): Promise<Answer> =>
      choose.showSignIn(posted, { email: clipped(typed), problem, status });
    const email = canonicalEmail(typed);
    if (email === undefined || password === "") {
      const wrongEmail = typed.trim() === "" ? "email-missing" : "email-invalid";
      const kind = email === undefined ? wrongEmail : "password-missing";
      return (await visits.claim(posted)) ?? (await again({ kind }, 422));
    }
    const proofVisit = visits.forProof(posted);
    // The page's script reports whether this browser can create passkeys.
    const mayOffer = choose.allows(posted, "passkey") && posted.form.get("passkeys") === "1";
    const outcome = await passwordSignIn.signIn(proofVisit, { email, password, network: posted.network, mayOffer });
    return await steps.end(proofVisit, outcome, (problem) => again(problem, 401));
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    const { form, network } = posted;
    const typed = { email: form.get("email") ?? "", name: form.get("name") ?? "" };
    const proofVisit = visits.forProof(posted);
    const outcome = await signUp.byPassword(proofVisit, { ...typed, password: form.get("password") ?? "", network });
    if (outcome === "check-mail") return confirm.begun(posted);
    const again = (problem: CreateAccountProblem | CreateAccountProblem[]): Promise<Answer> =>
      choose.showCreateAccount(posted, {
        email: clipped(typed.email),
        name: typed.name.slice(0, maxNameCharacters),
        problem,
        status: 422,
      });
    if (typeof outcome === "object" && "refusal" in outcome) return await again(outcome.refusal);
    return await steps.end(proofVisit, outcome, () => again({ kind: "cannot-create" }));
  }

  return {
    async signIn(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      const email = clipped(posted.form.get("email") ?? "");
      return await orTryLater(signInWith(posted), (problem) =>
        choose.showSignIn(posted, { email, problem, status: 429 }),
      );
    },

    async createAccount(request: HttpRequest): Promise<Answer> {
      const posted = await visits.post(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "password")) return choose.methodDisabled(posted, "password");
      if (!signUpIsOpen(posted)) return await choose.showCreateAccount(posted);
      const email = clipped(posted.form.get("email") ?? "");
      const name = (posted.form.get("name") ?? "").slice(0, maxNameCharacters);
      return await orTryLater(createAccountWith(posted), (problem) =>
        choose.showCreateAccount(posted, { email, name, problem, status: 429 }),
      );
    },
  };
}

function clipped(email: string): string {
  return email.slice(0, maxEmailCharacters);
}
