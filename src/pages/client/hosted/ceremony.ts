import { buttonOf, fieldOf } from "./page.ts";
import { textsOf, type OptionsAnswer } from "./passkey-options.ts";
import { clearFieldProblems, say, showFieldProblem } from "./problems.ts";
import { isBusy, setBusy } from "./send-once.ts";

/**
 * One press of a passkey button: options, the browser's dialog, then the form goes out for real.
 * Answers whether it did; when it did not, the page says why.
 */
export async function runCeremony<O>(
  form: HTMLFormElement,
  ask: () => Promise<OptionsAnswer<O>>,
  start: (options: O) => Promise<unknown>,
): Promise<boolean> {
  if (isBusy(form)) return true;
  setBusy(form, true);
  say("");
  clearFieldProblems();
  const answer = await ask();
  if (!("options" in answer)) return giveUp(form, answer.words, answer.field);
  try {
    send(form, await start(answer.options));
    return true;
  } catch (error) {
    const texts = textsOf(form);
    return giveUp(form, texts.errors[(error as Error).name] ?? texts.failed);
  }
}

/** The button comes back with the focus that it lost by being disabled, unless a field needs it. */
function giveUp(form: HTMLFormElement, words: string, field?: string): false {
  setBusy(form, false);
  if (field === undefined) {
    buttonOf(form)?.focus();
    say(words);
  } else {
    showFieldProblem(field, words);
  }
  return false;
}

/** Hands the passkey's answer to the server. `submit()` raises no event, so nothing here runs twice. */
export function send(form: HTMLFormElement, credential: unknown): void {
  fieldOf(form, "credential").value = JSON.stringify(credential);
  form.submit();
}
