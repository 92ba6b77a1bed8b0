import { first } from "./page.ts";

/** Current browsers do this for `autofocus`; older ones support it on fields only. */
export function focusProblem(): void {
  first(".summary")?.focus();
}

/** Shows the server's short message for a field and focuses the field. */
export function showFieldProblem(name: string, words: string): void {
  const input = first(`#${name}`);
  const beside = first(`#${name}-problem`);
  if (!input || !beside) return;
  beside.textContent = words;
  beside.hidden = false;
  // Not twice: it may have been announced while typing.
  first(".weak")?.replaceChildren();
  input.ariaInvalid = "true";
  document.title = first("main")?.dataset["errorTitle"] ?? document.title;
  input.focus();
}

/** Clears the messages of the page, which may be outdated. */
export function clearProblems(): void {
  first(".summary")?.remove();
  for (const beside of document.querySelectorAll<HTMLElement>(".beside")) beside.hidden = true;
  for (const input of document.querySelectorAll("[aria-invalid]")) input.ariaInvalid = null;
}

/** Shows a message beside the passkey button; "" clears it. */
export function say(words: string): void {
  const notice = first(".notice");
  if (notice) notice.textContent = words;
}
