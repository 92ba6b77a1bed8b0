import { all, first } from "./page.ts";

/** The person has stopped typing. */
const pauseMilliseconds = 400;
const patienceMilliseconds = 3000;

const waits = new Map<HTMLFormElement | null, () => Promise<void> | undefined>();

/** Asks what is not known yet about the form's new password; undefined if there is nothing to ask. */
export function passwordCheckOf(form: HTMLFormElement): Promise<void> | undefined {
  return waits.get(form)?.();
}

/**
 * Shows how many characters a new password still needs, counted like the service; then what the
 * service thinks of it.
 */
export function checkPasswords(): void {
  for (const mark of all("[data-check]")) {
    const input = mark.parentElement?.querySelector("input");
    if (input) watch(input, mark);
  }
}

function watch(input: HTMLInputElement, mark: HTMLElement): void {
  let known = "";
  let pause: ReturnType<typeof setTimeout> | undefined;

  const ask = async (): Promise<void> => {
    clearTimeout(pause);
    const { value } = input;
    const problem = await problemWith(input, mark.dataset["check"] ?? "");
    if (value !== input.value) return;
    known = value;
    if (problem === undefined) return;
    // Screen readers announce only this text, not each count.
    mark.textContent = problem ?? mark.dataset["fine"] ?? "";
    mark.className = `mark ${problem === null ? "fine" : "weak"}`;
    input.dataset["weak"] = problem ?? "";
  };

  input.addEventListener("input", () => {
    clearTimeout(pause);
    const length = [...input.value].length;
    const isLong = length >= input.minLength;
    mark.className = "mark";
    mark.textContent = input.dataset["weak"] = "";
    mark.dataset["count"] = length > 0 && !isLong ? `${length} / ${input.minLength}` : "";
    // What was said about another password.
    input.ariaInvalid = null;
    first(`#${input.id}-problem`)?.setAttribute("hidden", "");
    if (isLong) pause = setTimeout(ask, pauseMilliseconds);
  });
  waits.set(input.form, () => (input.value === known ? undefined : ask()));
}

/** In words; null if there is none, undefined without an answer: the form will tell. */
async function problemWith({ form }: HTMLInputElement, path: string): Promise<string | null | undefined> {
  const body = new URLSearchParams();
  for (const name of ["token", "email", "name", "password"]) {
    const field = form?.elements.namedItem(name);
    if (field) body.set(name, (field as HTMLInputElement).value);
  }
  try {
    const answer = await fetch(path, { method: "POST", body, signal: AbortSignal.timeout(patienceMilliseconds) });
    return answer.ok ? ((await answer.json()) as { problem: string | null }).problem : undefined;
  } catch {
    return undefined;
  }
}
