import { json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { canonicalEmail } from "../lib/email.ts";
import { invalidRequest } from "../lib/errors.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import type { Users } from "../users/service.ts";
import type { ChoosePages } from "./choose-pages.ts";
import type { ConfirmPages } from "./confirm-pages.ts";
import { newPerson } from "./password-pages.ts";
import type { Proofs } from "./proofs.ts";
import type { SignIn } from "./service.ts";
import type { StepPages } from "./step-pages.ts";
import { placeOf, type Posted, type Visits } from "./visits.ts";

/** The passkey ceremonies: options as JSON for the page's script, and the credential as a form like any other. */
export function createPasskeyPages(deps: {
  visits: Visits;
  choose: ChoosePages;
  steps: StepPages;
  signIn: SignIn;
  proofs: Proofs;
  passkeys: Passkeys;
  confirm: ConfirmPages;
  users: Users;
}) {
  const { visits, choose, steps, signIn, proofs, passkeys, confirm, users } = deps;

  /** A script cannot show a page: whatever is wrong with the session is one error, and the script says that it has timed out. */
  async function scriptPost(request: HttpRequest): Promise<Posted> {
    const posted = await visits.post(request);
    if (isAnswer(posted) || !choose.allows(posted, "passkey"))
      throw invalidRequest("session: cannot be used by this browser now");
    return posted;
  }

  async function signInWith(posted: Posted): Promise<Answer> {
    const again = (problem: SignInProblem): Promise<Answer> => choose.showSignIn(posted, { problem, status: 401 });
    const credential = posted.form.get("credential") ?? "";
    const proven = await passkeys.prove(posted.application, placeOf(posted), credential);
    if (proven === undefined || proven === "unknown") {
      await signIn.noteFailure(posted.application, "passkey", posted.origin);
      if (proven === undefined) return await again({ kind: "passkey-failed" });
      const unknown = await passkeys.nobodys(posted.application, credential);
      return await again({ kind: "passkey-unknown", signal: unknown && { unknown } });
    }
    const held = visits.hold(posted);
    const outcome = await proofs.take(held, { signedInWith: "passkey" }, async (tx, now) => {
      const noted = await passkeys.noteUse(tx, proven, now);
      if (noted === "removed") return undefined;
      if (noted === "copied")
        await signIn.noteCopiedPasskey(tx, posted.application, proven.user.id, proven.passkey.id, posted.origin, now);
      return proven.user.id;
    });
    return await steps.end(held, outcome, ({ kind }) =>
      again({ kind: kind === "other-account" ? kind : "passkey-failed" }),
    );
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    const { application, origin } = posted;
    const made = await passkeys.proveNew(application, placeOf(posted), posted.form.get("credential") ?? "");
    if (!made) return await choose.showCreateAccount(posted, { problem: { kind: "passkey-failed" }, status: 422 });
    const { email, name, userHandle: handle } = made;
    if (confirm.isOn) return await confirm.begin(posted, email, { name, passkey: made, userAgent: origin.userAgent });
    const again = (problem: CreateAccountProblem): Promise<Answer> =>
      choose.showCreateAccount(posted, { email, name: name ?? "", problem, status: 422 });
    let credentialIsTaken = false;
    const held = visits.hold(posted);
    const signedUp = { method: "passkey", origin } as const;
    const outcome = await proofs.take(held, { signedInWith: "passkey" }, async (tx, now) => {
      const user = await users.create(tx, { appId: application.id, email, name, handle, signedUp }, now);
      if (!user) return undefined;
      credentialIsTaken = !(await passkeys.add(tx, user.id, made, origin.userAgent, now));
      return credentialIsTaken ? undefined : user.id;
    });
    return await steps.end(held, outcome, () =>
      again({ kind: credentialIsTaken ? "passkey-exists" : "cannot-create" }),
    );
  }

  return {
    async signInOptions(request: HttpRequest): Promise<Answer> {
      const posted = await scriptPost(request);
      return json({
        options: await passkeys.signInOptions(
          posted.application,
          placeOf(posted),
          canonicalEmail(posted.form.get("email") ?? ""),
        ),
      });
    },

    async signUpOptions(request: HttpRequest): Promise<Answer> {
      const posted = await scriptPost(request);
      if (!choose.signUpIsOpen(posted)) throw invalidRequest("session: sign-up is closed");
      const person = newPerson({ email: posted.form.get("email") ?? "", name: posted.form.get("name") ?? "" });
      if ("kind" in person)
        throw invalidRequest(
          person.kind === "name-too-long" ? "name: at most 200 characters" : "email: an email address",
        );
      return json({
        options: await passkeys.signUpOptions(posted.application, placeOf(posted), person.email, person.name),
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
      return choose.signUpIsOpen(posted) ? await createAccountWith(posted) : await choose.showCreateAccount(posted);
    },
  };
}
