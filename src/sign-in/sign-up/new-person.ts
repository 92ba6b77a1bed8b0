import { emailProblem, newEmail } from "../../lib/email.ts";
import { displayName, maxNameCharacters } from "../../lib/text.ts";
import type { CreateAccountProblem } from "../problems.ts";

/** The data of a new account, or all problems with the form. Used by both ways to create one. */
export function newPerson(typed: {
  email: string;
  name: string;
}): { email: string; name: string | null } | CreateAccountProblem[] {
  const email = newEmail(typed.email);
  const name = displayName(typed.name);
  if (email !== undefined && name !== undefined) return { email, name };
  return [
    ...(email === undefined ? [{ kind: `email-${emailProblem(typed.email)}` } as const] : []),
    ...(name === undefined ? [{ kind: "name-too-long", maxLength: maxNameCharacters } as const] : []),
  ];
}
