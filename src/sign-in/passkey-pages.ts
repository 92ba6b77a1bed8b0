import { json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { canonicalEmail } from "../lib/email.ts";
import { invalidRequest } from "../lib/errors.ts";
import type { Passkeys, Place } from "../passkeys/service.ts";
import type { CreateAccountProblem, SignInProblem } from "../pages/problems.ts";
import type { Users } from "../users/service.ts";
import type { ChoosePages } from "./choose-pages.ts";
import { isAnswer, type Hosted, type Posted, type Visit } from "./hosted.ts";
import { newPerson } from "./password-pages.ts";
import type { SignIn } from "./service.ts";

export type PasskeyPages = ReturnType<typeof createPasskeyPages>;

/** The passkey ceremonies: options as JSON for the page's script, and the credential as a form like any other. */
export function createPasskeyPages(deps: {
  hosted: Hosted;
  choose: ChoosePages;
  signIn: SignIn;
  passkeys: Passkeys;
  users: Users;
}) {
  const { hosted, choose, signIn, passkeys, users } = deps;

  function placeOf(visit: Visit): Place {
    return { sessionDigest: visit.session.digest, browserDigest: visit.browser.digest };
  }

  /** A script cannot show a page: whatever is wrong with the session is one error, and the script says that it has timed out. */
  async function scriptPost(request: HttpRequest): Promise<Posted> {
    const posted = await hosted.post(request);
    if (isAnswer(posted) || !choose.allows(posted, "passkey"))
      throw invalidRequest("session: cannot be used by this browser now");
    return posted;
  }

  async function signInWith(posted: Posted): Promise<Answer> {
    const again = (problem: SignInProblem): Promise<Answer> => choose.showSignIn(posted, { problem, status: 401 });
    const proven = await passkeys.prove(posted.application, placeOf(posted), posted.form.get("credential") ?? "");
    if (proven === undefined || proven === "unknown") {
      await signIn.noteFailure(posted.application, "passkey", posted.origin);
      return await again({ kind: proven === "unknown" ? "passkey-unknown" : "passkey-failed" });
    }
    const outcome = await signIn.complete(
      { ...posted, browserDigest: posted.browser.digest },
      { signedInWith: "passkey" },
      posted.origin,
      async (tx, now) => {
        const noted = await passkeys.noteUse(tx, proven, now);
        if (noted === "removed") return undefined;
        if (noted === "copied")
          await signIn.noteCopiedPasskey(tx, posted.application, proven.user.id, proven.passkey.id, posted.origin, now);
        return proven.user.id;
      },
    );
    return outcome === "refused" ? await again({ kind: "passkey-failed" }) : await choose.finish(posted, outcome);
  }

  async function createAccountWith(posted: Posted): Promise<Answer> {
    const { application, origin, browser } = posted;
    const made = await passkeys.proveNew(application, placeOf(posted), posted.form.get("credential") ?? "");
    if (!made) return await choose.showCreateAccount(posted, { problem: { kind: "passkey-failed" }, status: 422 });
    const { email, name, userHandle: handle } = made;
    const again = (problem: CreateAccountProblem): Promise<Answer> =>
      choose.showCreateAccount(posted, { email, name: name ?? "", problem, status: 422 });
    let credentialIsTaken = false;
    const outcome = await signIn.complete(
      { ...posted, browserDigest: browser.digest },
      { signedInWith: "passkey" },
      origin,
      async (tx, now) => {
        const user = await users.create(tx, { appId: application.id, email, name, handle }, now);
        if (!user) return undefined;
        credentialIsTaken = !(await passkeys.add(tx, user.id, made, origin.userAgent, now));
        return credentialIsTaken ? undefined : user.id;
      },
    );
    if (outcome !== "refused") return await choose.finish(posted, outcome);
    return await again({ kind: credentialIsTaken ? "passkey-exists" : "cannot-create" });
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
      if (posted.application.settings.signUp === "closed") throw invalidRequest("session: sign-up is closed");
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
      const posted = await hosted.submit(request);
      if (isAnswer(posted)) return posted;
      return choose.allows(posted, "passkey") ? await signInWith(posted) : choose.methodDisabled(posted, "passkey");
    },

    async createAccount(request: HttpRequest): Promise<Answer> {
      const posted = await hosted.submit(request);
      if (isAnswer(posted)) return posted;
      if (!choose.allows(posted, "passkey")) return choose.methodDisabled(posted, "passkey");
      return posted.application.settings.signUp === "closed"
        ? await choose.showCreateAccount(posted)
        : await createAccountWith(posted);
    },
  };
}
