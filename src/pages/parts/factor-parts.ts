/** Parts about a second factor for the sign-in and account pages. */
import { html, type Html } from "../../lib/html.ts";
import { waitingTime } from "../../look/duration.ts";
import { field, submitButton, tokenField } from "./form-parts.ts";
import type { Frame } from "./frame.ts";
import type { ProblemWords } from "./problems.ts";
import { qrCode } from "./qr-code.ts";

/** A problem with a typed code or a set-up page that the person can fix. */
export type FactorProblem =
  | {
      kind:
        | "factor-malformed"
        | "factor-wrong"
        | "factor-blocked"
        | "set-up-over"
        | "passkey-failed"
        | "passkey-unknown"
        | "passkey-changed";
    }
  | { kind: "too-many-tries"; retryAfterSeconds: number };

/** `recovery`: whether a recovery code was asked for. */
export function factorProblemWords(frame: Frame, problem: FactorProblem, recovery = false): ProblemWords {
  const { texts } = frame;
  switch (problem.kind) {
    case "factor-malformed":
      return {
        field: "code",
        beside: recovery ? texts.recoveryMalformed : texts.factorMalformed,
      };
    case "factor-wrong":
      return {
        field: "code",
        beside: recovery ? texts.recoveryWrong : texts.factorWrong,
      };
    case "factor-blocked":
      return { summary: texts.factorBlocked };
    case "set-up-over":
      return { summary: texts.setUpOver };
    case "passkey-failed":
    case "passkey-unknown":
      return { summary: texts.passkeyFailed };
    case "passkey-changed":
      return { summary: texts.passkeyChanged };
    case "too-many-tries":
      return { summary: texts.tooManyTries(waitingTime(problem.retryAfterSeconds, frame.lang)) };
  }
}

export type SetUpForm = { action: string; token: string; sealed: string; typed: string; uri: string };

/** The key to scan or type, and the field for the first code. */
export function setUpForm(frame: Frame, form: SetUpForm, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  return html`<p>${texts.setUpScan}</p>
    ${qrCode(form.uri, texts.setUpQrCode)}
    <p class="on-phone"><a href="${form.uri}">${texts.setUpHere}</a></p>
    <p>${texts.setUpTyped}</p>
    <p class="key" dir="ltr">${form.typed}</p>
    <form method="post" action="${form.action}" novalidate>
      ${tokenField(form.token)} <input type="hidden" name="set-up" value="${form.sealed}" />
      ${field(
        frame,
        {
          name: "code",
          label: texts.setUpCode,
          type: "code",
          autocomplete: "one-time-code",
          hint: texts.setUpCodeHint,
        },
        words,
      )}
      ${submitButton({ label: texts.turnOn, busy: texts.turningOn, look: "main" })}
    </form>`;
}

/** The codes themselves, once, with a file to keep. */
export function recoveryCodes(frame: Frame, codes: string[]): Html {
  const { texts, look } = frame;
  const file = `${look.name} – ${texts.recoveryCodes}\n\n${codes.join("\n")}\n`;
  return html`<p>${texts.codesNext}</p>
    <ol class="codes" dir="ltr">
      ${codes.map((code) => html`<li>${code}</li>`)}
    </ol>
    <p class="acts">
      <a
        class="button small"
        download="recovery-codes.txt"
        href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}"
        >${texts.codesDownload}</a
      >
      <button type="button" class="button small" data-print hidden>${texts.codesPrint}</button>
    </p>`;
}
