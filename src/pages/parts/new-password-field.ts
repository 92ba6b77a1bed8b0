import type { Html } from "../../lib/html.ts";
import { field } from "./form-parts.ts";
import type { Frame } from "./frame.ts";
import { newPasswordChecks, type ProblemWords } from "./problems.ts";

/**
 * A password that somebody chooses. `formPath`: what the page's script asks, at
 * `{formPath}/password-check`, what the form would say to it.
 */
export function newPasswordField(
  frame: Frame,
  { label, minLength, formPath }: { label: string; minLength: number; formPath: string },
  words: ProblemWords | readonly ProblemWords[] | undefined,
): Html {
  return field(
    frame,
    {
      name: "password",
      label,
      type: "password",
      autocomplete: "new-password",
      hint: frame.texts.passwordRule(minLength),
      minLength,
      checkPath: `${formPath}/password-check`,
      checks: newPasswordChecks(frame, minLength),
    },
    words,
  );
}
