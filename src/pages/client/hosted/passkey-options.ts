import { waitingTime } from "../../../look/duration.ts";
import type { PasskeyTexts } from "../../parts/passkey-texts.ts";
import { fieldOf } from "./page.ts";

/** Options for a ceremony, or the error text; `field` if a field is the cause. */
export type OptionsAnswer<O> = { options: O } | { words: string; field?: string };

/** Asks the service for a fresh challenge. */
export async function requestOptions<O>(
  form: HTMLFormElement,
  fields: Record<string, string>,
): Promise<OptionsAnswer<O>> {
  const texts = textsOf(form);
  const body = new URLSearchParams({ token: fieldOf(form, "token").value, ...fields });
  try {
    const answer = await fetch(form.dataset.options ?? "", {
      method: "POST",
      headers: { accept: "application/json" },
      body,
    });
    // Same origin: the service's answer has the expected form.
    const content = (await answer.json()) as { options: O; error?: { details?: string } };
    return answer.ok ? content : refusal(answer, content.error?.details ?? "", texts);
  } catch {
    return { words: texts.offline };
  }
}

function refusal(
  { status, headers }: Response,
  details: string,
  texts: PasskeyTexts,
): { words: string; field?: string } {
  if (status === 429) {
    const wait = waitingTime(Number(headers.get("retry-after")) || 60, document.documentElement.lang);
    return { words: texts.tooManyTries.replace("{wait}", wait) };
  }
  if (status >= 500) return { words: texts.busy };
  // `details` names the field first, then the rule.
  const [field = ""] = details.split(/\W/, 1);
  const rule = details.includes("before the @") ? "unsupported" : details.includes("sign-up rules") ? "refused" : field;
  const words = texts.fields[rule];
  return words === undefined ? { words: texts.timedOut } : { words, field };
}

export function textsOf(form: HTMLFormElement): PasskeyTexts {
  return JSON.parse(form.dataset.texts ?? "") as PasskeyTexts;
}
