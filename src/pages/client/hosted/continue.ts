import { first } from "./page.ts";

/** A page that only passes a provider's answer on needs nobody to press its button. */
export function passOn(): void {
  first<HTMLFormElement>("form[data-continue]")?.requestSubmit();
}
