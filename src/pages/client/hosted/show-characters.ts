import { all } from "./page.ts";

/** Show and hide for what is typed into a password field. */
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
    // Sent as a password, so that browsers offer to keep it there and never in the history of a text field.
    input.form?.addEventListener("submit", () => set(false));
  }
}
