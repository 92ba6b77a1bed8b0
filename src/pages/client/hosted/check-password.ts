import { all, first } from "./page.ts";

/** The person has stopped typing. */
const pauseMilliseconds = 400;
const patienceMilliseconds = 3000;

const checks = new Map<HTMLFormElement | null, () => Promise<void> | undefined>();

/** Asks about the new password of a form before it is sent; undefined if the answer is known. */
export function passwordCheckOf(form: HTMLFormElement): Promise<void> | undefined {
  return checks.get(form)?.();
}

/**
 * Shows how many characters a new password still needs, counted like the service; then the
 * service's verdict.
 */
export function checkPasswords(): void {
  for (const mark of all("[data-check]")) {
    const input = mark.parentElement?.querySelector("input");
    if (input) watch(input, mark);
  }
}

function watch(input: HTMLInputElement, mark: HTMLElement): void {
  /** The last question: the person's name and address count too. */
  let known = "";
  let pause: ReturnType<typeof setTimeout> | undefined;

  const isLong = (): boolean => [...input.value].length >= input.minLength;

  const ask = async (): Promise<void> => {
    clearTimeout(pause);
    const asked = questionOf(input);
    const problem = await problemWith(asked, mark.dataset["check"] ?? "");
    if (questionOf(input) !== asked) return;
    known = asked;
    // Screen readers announce only this text, not each count.
    mark.textContent = problem === undefined ? "" : (problem ?? mark.dataset["fine"] ?? "");
    mark.className = `mark ${problem === null ? "fine" : "weak"}`;
    input.dataset["weak"] = problem ?? "";
  };

  input.addEventListener("input", () => {
    clearTimeout(pause);
    const isCounted = input.value !== "" && !isLong();
    mark.className = "mark";
    mark.textContent = input.dataset["weak"] = "";
    mark.dataset["count"] = isCounted ? `${[...input.value].length} / ${input.minLength}` : "";
    // The verdict about another password.
    input.ariaInvalid = null;
    first(`#${input.id}-problem`)?.setAttribute("hidden", "");
    if (isLong()) pause = setTimeout(ask, pauseMilliseconds);
  });
  checks.set(input.form, () => (isLong() && questionOf(input) !== known ? ask() : undefined));
}

function questionOf({ form }: HTMLInputElement): string {
  const question = new URLSearchParams();
  for (const name of ["token", "email", "name", "password"]) {
    const field = form?.elements.namedItem(name);
    if (field) question.set(name, (field as HTMLInputElement).value);
  }
  return question.toString();
}

/** In words; null if there is no objection, undefined without a response: the form will show it. */
async function problemWith(question: string, path: string): Promise<string | null | undefined> {
  try {
    const answer = await fetch(path, {
      method: "POST",
      body: new URLSearchParams(question),
      signal: AbortSignal.timeout(patienceMilliseconds),
    });
    return answer.ok ? ((await answer.json()) as { problem: string | null }).problem : undefined;
  } catch {
    return undefined;
  }
}
