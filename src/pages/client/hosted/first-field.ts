import { all, first } from "./page.ts";

/** Focuses the first field. Not on a phone, where the keyboard would cover half of the page. */
export function focusFirstField(): void {
  if (first("[autofocus]") || !matchMedia("(hover: hover) and (pointer: fine)").matches) return;
  const fields = [...all<HTMLInputElement>("[data-session] .control input")];
  fields.find(({ value }) => value === "")?.focus({ preventScroll: true });
}
