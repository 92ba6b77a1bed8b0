import { html, type Html } from "../../lib/html.ts";
import { waitingTime } from "../../look/duration.ts";
import { caution, field, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import type { ProblemWords } from "../parts/problems.ts";

export type UserCodeProblem =
  | { kind: "code-malformed" | "code-wrong" | "busy" }
  | { kind: "too-many-tries"; retryAfterSeconds: number };

export type UserCodeData = {
  token: string;
  /** The typed code, or the one from the device's link. */
  code: string;
  /** Whether the link of the device filled the code in. */
  isFilled?: boolean;
  problem?: UserCodeProblem | undefined;
};

function problemWords({ texts, lang }: Frame, problem: UserCodeProblem): ProblemWords {
  switch (problem.kind) {
    case "code-malformed":
      return { summary: texts.enterDeviceCode, field: "code", beside: texts.deviceCodeMalformed };
    case "code-wrong":
      return { summary: texts.checkDeviceCode, field: "code", beside: texts.deviceCodeWrong };
    case "busy":
      return { summary: texts.busy };
    case "too-many-tries":
      return { summary: texts.tooManyTries(waitingTime(problem.retryAfterSeconds, lang)) };
  }
}

/** Asks for the code that a device shows. A code that is filled in is asked for, too. */
export function userCodePage(frame: Frame, { token, code, isFilled = false, problem }: UserCodeData): Html {
  const { texts } = frame;
  const words = problem && problemWords(frame, problem);
  const title = texts.deviceTitle;
  const malformed = { summary: texts.enterDeviceCode, beside: texts.deviceCodeMalformed };
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${isFilled ? texts.deviceLeadFilled : texts.deviceLead}</p>
    <form method="post" action="/device" novalidate>
      ${tokenField(token)}
      ${field(
        frame,
        {
          name: "code",
          label: texts.code,
          type: "letter-code",
          autocomplete: "off",
          value: code,
          isShort: true,
          hint: texts.deviceCodeHint,
          checks: { missing: malformed },
        },
        words,
      )}
      ${caution(texts.deviceInFront)} ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>`;
  return framePage(frame, {
    title,
    body,
    script: true,
    problem: words !== undefined,
    stylesheet: frame.assets.accountStylesheet,
  });
}
