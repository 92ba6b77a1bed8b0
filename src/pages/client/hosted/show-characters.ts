import { all } from "./page.ts";

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
