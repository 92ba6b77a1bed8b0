import { canonicalEmail, emailProblem, newEmail } from "./email.ts";
import { invalidRequest } from "./errors.ts";

/** The rule that a text breaks, if `canonicalEmail` or `newEmail` refuses it. */
export function emailRule(text: string): string {
  if (emailProblem(text) === "unsupported")
    return "an address with ASCII characters before the @ that need no quotes, none of ` $ { } | ! %, and no leading '-'";
  return canonicalEmail(text) === undefined
    ? "an address such as ada@example.com, at most 254 characters"
    : "an address whose domain does not end in a number";
}

/** The canonical form of an address. Throws INVALID_REQUEST. */
export function checkedEmail(text: string, field = "email"): string {
  const email = canonicalEmail(text);
  if (email === undefined) throw invalidRequest(field, emailRule(text));
  return email;
}

/** The canonical form of an address for a user to have from now on. Throws INVALID_REQUEST. */
export function checkedNewEmail(text: string, field = "email"): string {
  const email = newEmail(text);
  if (email === undefined) throw invalidRequest(field, emailRule(text));
  return email;
}
