import { first } from "./page.ts";

/** `autofocus` does this in current browsers; older ones know it for fields only. */
export function focusProblem(): void {
  first(".summary")?.focus();
}

/** Says in a few words what is wrong with a field, where the server would say it too, and goes there. */
export function showFieldProblem(name: string, words: string): void {
  const input = first(`#${name}`);
  const beside = first(`#${name}-problem`);
  if (!input || !beside) return;
  beside.textContent = words;
  beside.hidden = false;
  input.ariaInvalid = "true";
  input.focus();
}

/** Takes back what stood beside the fields: it may hold no longer. */
export function clearFieldProblems(): void {
  for (const beside of document.querySelectorAll<HTMLElement>(".beside")) beside.hidden = true;
  for (const input of document.querySelectorAll("[aria-invalid]")) input.ariaInvalid = null;
}

/** Speaks beside the passkey button; "" falls silent. */
export function say(words: string): void {
  const notice = first(".notice");
  if (notice) notice.textContent = words;
}
