import { all } from "./page.ts";

/** Shows the buttons that print the page, which need scripts. */
export function offerPrint(): void {
  for (const button of all<HTMLButtonElement>("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
}
