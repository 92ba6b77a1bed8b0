import { all } from "./page.ts";
import { clearFieldProblems, showFieldProblem, showSummary } from "./problems.ts";

/**
 * Checks a form before it is sent, with the service's messages, so that typed passwords are not
 * lost.
 */
export function isReady(form: HTMLFormElement): boolean {
  clearFieldProblems();
  const problems: [field: string, words: string][] = [];
  for (const input of all<HTMLInputElement>("[data-missing]")) {
    const [summary = "", beside] = input.form === form ? (problemWith(input)?.split("\n") ?? []) : [];
    if (beside === undefined) continue;
    showFieldProblem(input.name, beside);
    problems.push([input.name, summary]);
  }
  if (problems.length > 0) showSummary(problems);
  return problems.length === 0;
}

function problemWith({ value, minLength, dataset }: HTMLInputElement): string | undefined {
  const { missing, invalid, unsupported, short, weak } = dataset;
  if ((invalid === undefined ? value : value.trim()) === "") return missing;
  // The service has the full rule; this check catches obvious mistakes only.
  if (invalid !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(value.trim())) return invalid;
  if (unsupported !== undefined && /[^\x21-\x7E].*@/u.test(value.trim())) return unsupported;
  if (weak) return short?.replace(/\n.*/, `\n${weak}`);
  return [...value].length < minLength ? short : undefined;
}
