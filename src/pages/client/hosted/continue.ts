import { first } from "./page.ts";

/** Submits a page that only passes on a provider's answer. */
export function passOn(): void {
  first<HTMLFormElement>("form[data-continue]")?.requestSubmit();
}
