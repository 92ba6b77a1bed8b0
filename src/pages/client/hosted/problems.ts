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
  input.focus();
}

/** Shows the same error summary as the service and focuses it. */
export function showSummary(problems: [field: string, words: string][]): void {
  const made = first<HTMLTemplateElement>("template")?.content.firstElementChild?.cloneNode(true) as HTMLElement;
  made.className = "summary";
  for (const [field, words] of problems) {
    const link = document.createElement("a");
    link.href = `#${field}`;
    link.textContent = words;
    const line = document.createElement("p");
    line.append(link);
    made.lastElementChild?.append(line);
  }
  document.title = first("main")?.dataset["errorTitle"] ?? document.title;
  first(".summary")?.remove();
  first("h1")?.after(made);
  made.focus();
}

/** Clears the messages beside the fields, which may be outdated. */
export function clearFieldProblems(): void {
  for (const beside of document.querySelectorAll<HTMLElement>(".beside")) beside.hidden = true;
  for (const input of document.querySelectorAll("[aria-invalid]")) input.ariaInvalid = null;
}

/** Shows a message beside the passkey button; "" clears it. */
export function say(words: string): void {
  const notice = first(".notice");
  if (notice) notice.textContent = words;
}
