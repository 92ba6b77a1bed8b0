/**
 * Passkey ceremonies: options as JSON for the page's script, the credential as an ordinary form.
 */
import * as passkeys from "../../credentials/passkeys/service.ts";
import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { emailRule } from "../../lib/user-fields.ts";
import type { Context } from "../../runtime/context.ts";
import * as passkeySignIn from "../../sign-in/passkeys/passkey-sign-in.ts";
import { signUpIsOpen } from "../../sign-in/session.ts";
import { passkeyPlaceOf } from "../../sign-in/sign-in-attempt.ts";
import { newPerson } from "../../sign-in/sign-up/new-person.ts";
import * as signUp from "../../sign-in/sign-up/sign-up.ts";
import { isAnswer } from "../hosted/hosted.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as choose from "./choose-pages.ts";
import * as confirm from "./confirm-pages.ts";
import * as steps from "./step-pages.ts";
import * as visits from "./visits.ts";
import type { Posted } from "./visits.ts";

/**
 * A script cannot show a page, so every problem with the session is one error, shown as "timed
 * out".
 */
async function scriptPost(ctx: Context, request: HttpRequest): Promise<Posted> {
  const posted = await visits.post(ctx, request);
  if (isAnswer(posted) || !choose.allows(ctx, posted, "passkey"))
    throw invalidRequest("session", "cannot be used by this browser now");
  return posted;
}

async function signInWith(ctx: Context, posted: Posted): Promise<Answer> {
  const again = (problem: SignInProblem): Promise<Answer> => choose.showSignIn(ctx, posted, { problem, status: 401 });
  const proofVisit = visits.forProof(ctx, posted);
  const outcome = await passkeySignIn.signIn(ctx, proofVisit, posted.form.get("credential") ?? "");
  if (typeof outcome === "object" && "refusal" in outcome) {
    if (outcome.refusal === "changed") return await again({ kind: "passkey-changed" });
    const { unknown } = outcome.refusal;
    return await again({ kind: "passkey-unknown", signal: unknown && { unknown } });
  }
  return await steps.end(ctx, proofVisit, outcome, ({ kind }) =>
    again({ kind: kind === "other-account" ? kind : "passkey-failed" }),
  );
}

async function createAccountWith(ctx: Context, posted: Posted): Promise<Answer> {
  const proofVisit = visits.forProof(ctx, posted);
  const signedUp = await signUp.byPasskey(ctx, proofVisit, posted.form.get("credential") ?? "");
  if (!signedUp)
    return await choose.showCreateAccount(ctx, posted, { problem: { kind: "passkey-failed" }, status: 422 });
  const { outcome, person } = signedUp;
  if (outcome === "check-mail") return confirm.begun(ctx, posted);
  const again = (kind: "passkey-exists" | "cannot-create"): Promise<Answer> =>
    choose.showCreateAccount(ctx, posted, { ...person, problem: { kind }, status: 422 });
  if (typeof outcome === "object" && "refusal" in outcome) return await again("passkey-exists");
  return await steps.end(ctx, proofVisit, outcome, () => again("cannot-create"));
}

export async function signInOptions(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await scriptPost(ctx, request);
  return json({
    options: await passkeys.signInOptions(
      ctx,
      posted.application,
      passkeyPlaceOf(posted.session, posted.browser.digest),
      canonicalEmail(posted.form.get("email") ?? ""),
    ),
  });
}

export async function signUpOptions(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await scriptPost(ctx, request);
  if (!signUpIsOpen(posted)) throw invalidRequest("session", "sign-up is closed");
  const email = posted.form.get("email") ?? "";
  const person = newPerson(ctx, posted.application, { email, name: posted.form.get("name") ?? "" });
  if (Array.isArray(person)) {
    if (person.some(({ kind }) => kind === "email-refused"))
      throw invalidRequest("email", "one that the sign-up rules allow");
    throw person[0]?.kind === "name-too-long"
      ? invalidRequest("name", "at most 200 characters")
      : invalidRequest("email", emailRule(email));
  }
  return json({
    options: await passkeys.signUpOptions(
      ctx,
      posted.application,
      passkeyPlaceOf(posted.session, posted.browser.digest),
      person.email,
      person.name,
    ),
  });
}

export async function signIn(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  return choose.allows(ctx, posted, "passkey")
    ? await signInWith(ctx, posted)
    : choose.methodDisabled(ctx, posted, "passkey");
}

export async function createAccount(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  if (!choose.allows(ctx, posted, "passkey")) return choose.methodDisabled(ctx, posted, "passkey");
  return signUpIsOpen(posted) ? await createAccountWith(ctx, posted) : await choose.showCreateAccount(ctx, posted);
}
