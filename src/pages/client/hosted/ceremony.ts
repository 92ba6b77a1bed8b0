import { buttonOf, fieldOf } from "./page.ts";
import { textsOf, type OptionsAnswer } from "./passkey-options.ts";
import { clearProblems, say, showFieldProblem } from "./problems.ts";
import { isBusy, setBusy } from "./send-once.ts";

/**
 * Runs one passkey ceremony: fetches options, shows the browser's dialog, submits the form. Returns
 * whether it was submitted; if not, the page says why.
 */
export async function runCeremony<O>(
  form: HTMLFormElement,
  ask: () => Promise<OptionsAnswer<O>>,
  start: (options: O) => Promise<unknown>,
): Promise<boolean> {
  if (isBusy(form)) return true;
  setBusy(form, true);
  say("");
  clearProblems();
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

/** Enables the button again and gives it back the focus, unless a field needs it. */
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

/** Submits the passkey's answer. `submit()` fires no event, so nothing here runs twice. */
export function send(form: HTMLFormElement, credential: unknown): void {
  fieldOf(form, "credential").value = JSON.stringify(credential);
  form.submit();
}
