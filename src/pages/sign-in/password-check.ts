/**
 * Gives the page's script the form's verdict about a new password while a person types: same rule,
 * same words. Writes nothing, and looks up nobody by the entered text.
 */
import * as newPasswords from "../../credentials/passwords/new-passwords.ts";
import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { canonicalEmail } from "../../lib/email.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { displayName } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import * as additions from "../../sign-in/adding/adding.ts";
import { isAnswer, type PageVisit, type PostedForm } from "../hosted/hosted.ts";
import { createAccountProblemWords } from "../parts/problems.ts";
import * as choose from "./choose-pages.ts";
import * as visits from "./visits.ts";

export async function check(
  ctx: Context,
  { frame, application, form, network }: PageVisit & PostedForm,
  person: { email: string | null; name: string | null },
): Promise<Answer> {
  const about = { email: person.email ?? "", name: person.name };
  const problem = await newPasswords.problemWith(ctx, form.get("password") ?? "", application, about, network);
  const { passwordMinLength } = application.settings;
  const words = problem && createAccountProblemWords(frame, problem, passwordMinLength);
  return json({ problem: words && "beside" in words ? words.beside : null });
}

/** POST /sign-in/{sessionId}/password-check */
export async function inSession(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.post(ctx, request);
  if (isAnswer(posted)) throw unusable();
  const owner = await additions.findAddingUser(ctx, visits.forProof(ctx, posted), "password");
  if (!owner && !choose.allows(ctx, posted, "password")) throw unusable();
  const typed = {
    email: canonicalEmail(posted.form.get("email") ?? "") ?? null,
    name: displayName(posted.form.get("name") ?? "") ?? null,
  };
  return await check(ctx, posted, owner ?? typed);
}

/** The one answer to everything that is wrong, as for the options of a passkey. */
export function unusable(): Error {
  return invalidRequest("session", "cannot be used by this browser now");
}
