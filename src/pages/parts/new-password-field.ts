import type { Html } from "../../lib/html.ts";
import { field } from "./form-parts.ts";
import type { Frame } from "./frame.ts";
import { newPasswordChecks, type ProblemWords } from "./problems.ts";

/**
 * A password that somebody chooses. `formPath`: at `{formPath}/password-check`, the page's script
 * gets the form's verdict.
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
