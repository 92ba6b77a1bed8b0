import { typedCode } from "../../../lib/typed-code.ts";
import { first } from "./page.ts";

/** Submits a mailed code at its last digit, once a page. After a correction, the person does. */
export function sendFullCode(): void {
  const input = first<HTMLInputElement>("#code[inputmode=numeric]");
  if (!input || first("#password")) return;
  let before = "";
  const watch = (): void => {
    const typed = input.value.replace(/\s/g, "");
    const isComplete = typedCode(typed) !== undefined;
    if (isComplete || !typed.startsWith(before)) input.removeEventListener("input", watch);
    if (isComplete && typed.startsWith(before)) input.form?.requestSubmit();
    before = typed;
  };
  input.addEventListener("input", watch);
}
