import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { isAnswer } from "../../hosted/hosted.ts";
import type { Passkeys } from "../../passkeys/service.ts";
import type { SignInProblem } from "../../pages/parts/problems.ts";
import type { ChoosePages } from "../choose-pages.ts";
import type { ConfirmPages } from "../sign-up/confirm-pages.ts";
import { newPerson } from "../sign-up/new-person.ts";
import type { PasskeySignIn } from "./passkey-sign-in.ts";
import { signUpIsOpen } from "../session.ts";
import type { SignUp } from "../sign-up/sign-up.ts";
import type { StepPages } from "../step-pages.ts";
import { passkeyPlaceOf } from "../holder.ts";
import type { Posted, Visits } from "../visits.ts";

/**
 * Passkey ceremonies: options as JSON for the page's script, the credential as an ordinary form.
 */
export function createPasskeyPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  confirm: ConfirmPages;
  passkeys: Passkeys;
  passkeySignIn: PasskeySignIn;
  signUp: SignUp;
}) {
  const { visits, choose, steps, confirm, passkeys, passkeySignIn, signUp } = deps;

  /**
   * A script cannot show a page, so every problem with the session is one error, shown as "timed
   * out".
   */
  async function scriptPost(request: HttpRequest): Promise<Posted> {
    const posted = await visits.post(request);
    if (isAnswer(posted) || !choose.allows(posted, "passkey"))
      throw invalidRequest("session: cannot be used by this browser now");
    return posted;
  }

  async function signInWith(posted: Posted): Promise<Answer> {
    const again = (problem: SignInProblem): Promise<Answer> => choose.showSignIn(posted, { problem, status: 401 });
    const proofVisit = visits.forProof(posted);
    const outcome = await passkeySignIn.signIn(proofVisit, posted.form.get("credential") ?? "");
    if (typeof outcome === "object" && "refusal" in outcome) {
      const { unknown } = outcome.refusal;
      return await again({ kind: "passkey-unknown", signal: unknown && { unknown } });
    }
    return await steps.end(proofVisit, outcome, ({ kind }) =>
      again({ kind: kind === "other-account" ? kind : "passkey-failed" }),
    );
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    const proofVisit = visits.forProof(posted);
    const signedUp = await signUp.byPasskey(proofVisit, posted.form.get("credential") ?? "");
    if (!signedUp) return await choose.showCreateAccount(posted, { problem: { kind: "passkey-failed" }, status: 422 });
    const { outcome, person } = signedUp;
    if (outcome === "check-mail") return confirm.begun(posted);
    const again = (kind: "passkey-exists" | "cannot-create"): Promise<Answer> =>
      choose.showCreateAccount(posted, { ...person, problem: { kind }, status: 422 });
    if (typeof outcome === "object" && "refusal" in outcome) return await again("passkey-exists");
    return await steps.end(proofVisit, outcome, () => again("cannot-create"));
  }

  return {
    async signInOptions(request: HttpRequest): Promise<Answer> {
      const posted = await scriptPost(request);
      return json({
        options: await passkeys.signInOptions(
          posted.application,
          passkeyPlaceOf(posted.session, posted.browser.digest),
          canonicalEmail(posted.form.get("email") ?? ""),
        ),
      });
    },

    async signUpOptions(request: HttpRequest): Promise<Answer> {
      const posted = await scriptPost(request);
      if (!signUpIsOpen(posted)) throw invalidRequest("session: sign-up is closed");
      const person = newPerson({ email: posted.form.get("email") ?? "", name: posted.form.get("name") ?? "" });
      if (Array.isArray(person))
        throw invalidRequest(
          person[0]?.kind === "name-too-long" ? "name: at most 200 characters" : "email: must be an email address",
        );
      return json({
        options: await passkeys.signUpOptions(
          posted.application,
          passkeyPlaceOf(posted.session, posted.browser.digest),
          person.email,
          person.name,
        ),
      });
    },

    async signIn(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      return choose.allows(posted, "passkey") ? await signInWith(posted) : choose.methodDisabled(posted, "passkey");
    },

    async createAccount(request: HttpRequest): Promise<Answer> {
      const posted = await visits.submit(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "passkey")) return choose.methodDisabled(posted, "passkey");
      return signUpIsOpen(posted) ? await createAccountWith(posted) : await choose.showCreateAccount(posted);
    },
  };
}
