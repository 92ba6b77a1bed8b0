import type { Application } from "../../applications/application.ts";
import * as signUpRules from "../../applications/sign-up/service.ts";
import { emailProblem, newEmail } from "../../lib/email.ts";
import { displayName, maxNameCharacters } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import type { CreateAccountProblem } from "../problems.ts";

/** The data of a new account, or all problems with the form. Used by both ways to create one. */
export function newPerson(
  ctx: Context,
  application: Application,
  typed: { email: string; name: string },
): { email: string; name: string | null } | CreateAccountProblem[] {
  const email = newEmail(typed.email);
  const name = displayName(typed.name);
  const refusal = email === undefined ? undefined : signUpRules.problemWith(ctx, application, email);
  if (email !== undefined && name !== undefined && !refusal) return { email, name };
  return [
    ...(email === undefined ? [{ kind: `email-${emailProblem(typed.email)}` } as const] : []),
    ...(refusal ? [{ kind: "email-refused", allowed: signUpRules.namedDomains(application, refusal) } as const] : []),
    ...(name === undefined ? [{ kind: "name-too-long", maxLength: maxNameCharacters } as const] : []),
  ];
}
