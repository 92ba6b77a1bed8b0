import { typedCode } from "../../../lib/typed-code.ts";
import { all, first } from "./page.ts";

/** Shows and hides the characters in a password field. */
export function showCharacters(): void {
  for (const button of all<HTMLButtonElement>(".show")) {
    const input = button.previousElementSibling as HTMLInputElement;

    const set = (visible: boolean) => {
      const { hide = "", hideLabel = "", show = "", showLabel = "" } = button.dataset;
      input.type = visible ? "text" : "password";
      button.textContent = visible ? hide : show;
      button.ariaLabel = visible ? hideLabel : showLabel;
    };

    button.hidden = false;
    button.addEventListener("click", () => set(input.type === "password"));
    // Submit as a password field, so that browsers offer to save it there and not in a text field's
    // history.
    input.form?.addEventListener("submit", () => set(false));
  }
}

/**
 * Keeps the typed address between sign-in and sign-up pages in this tab's storage, one entry per
 * sign-in. A URL would leak it to history, logs or a Referer.
 */
export function keepEmail(): void {
  const input = first<HTMLInputElement>("#email");
  const session = first("[data-session]")?.dataset.session;
  if (!input || session === undefined) return;
  const key = `email ${session}`;
  try {
    input.value ||= sessionStorage.getItem(key) ?? "";
    addEventListener("pagehide", () => sessionStorage.setItem(key, input.value));
  } catch {
    // Storage is disabled: the person types the address again.
  }
}

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

/** Focuses the first field. Not on a phone, where the keyboard would cover half of the page. */
export function focusFirstField(): void {
  if (first("[autofocus]") || !matchMedia("(hover: hover) and (pointer: fine)").matches) return;
  const fields = [...all<HTMLInputElement>("[data-session] .control input")];
  fields.find(({ value }) => value === "")?.focus({ preventScroll: true });
}
