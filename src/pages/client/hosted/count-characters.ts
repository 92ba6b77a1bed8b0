import { all } from "./page.ts";

/** Shows how many characters a new password still needs, counted like the service. */
export function countCharacters(): void {
  for (const mark of all("[data-enough]")) {
    const input = mark.parentElement?.querySelector("input");
    input?.addEventListener("input", () => {
      const length = [...input.value].length;
      const isEnough = length >= input.minLength;
      // Screen readers announce only the final text, not each count.
      mark.dataset.count = length > 0 && !isEnough ? `${length} / ${input.minLength}` : "";
      mark.textContent = isEnough ? (mark.dataset.enough ?? "") : "";
    });
  }
}
