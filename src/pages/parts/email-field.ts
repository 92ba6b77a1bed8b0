import type { Html } from "../../lib/html.ts";
import type { Frame } from "./frame.ts";
import { field } from "./form-parts.ts";
import { emailChecks } from "./problems.ts";

/**
 * The address that somebody signs in with. In `autocomplete`, "webauthn" must come last: it makes
 * browsers offer passkeys in this field.
 */
export function emailField(
  frame: Frame,
  email: string,
  words: Parameters<typeof field>[2],
  autocomplete = "username",
): Html {
  const label = frame.texts.email;
  return field(
    frame,
    { name: "email", label, type: "email", autocomplete, value: email, checks: emailChecks(frame) },
    words,
  );
}
