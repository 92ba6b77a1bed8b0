import { all, first } from "./page.ts";
import { clearProblems, showFieldProblem } from "./problems.ts";

/**
 * Checks a form before it is sent, with the service's messages, so that typed passwords are not
 * lost.
 */
export function isReady(form: HTMLFormElement): boolean {
  clearProblems();
  let isGood = true;
  for (const input of all<HTMLInputElement>("[data-missing]")) {
    const words = input.form === form && problemWith(input);
    if (!words) continue;
    showFieldProblem(input.name, words);
    isGood = false;
  }
  first("[aria-invalid]")?.focus();
  return isGood;
}

function problemWith({ value, minLength, dataset }: HTMLInputElement): string | undefined {
  const { missing, invalid, unsupported, short, weak } = dataset;
  if ((invalid === undefined ? value : value.trim()) === "") return missing;
  // The service has the full rule; this check catches obvious mistakes only.
  if (invalid !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(value.trim())) return invalid;
  if (unsupported !== undefined && /[^\x21-\x7E].*@/u.test(value.trim())) return unsupported;
  if (weak) return weak;
  return [...value].length < minLength ? short : undefined;
}
