import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { notice, pageEnd, passkeyButton, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { createAccountProblemWords, signInProblemWords } from "../parts/problems.ts";

export type PasskeyStepData = {
  /**
   * `use` an existing passkey or `create` the first one, as the app requires; or `offer` to create
   * one, which can be declined.
   */
  step: "use" | "create" | "offer";
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** Creates the passkey without asking, if the browser can (conditional create). */
  quietly?: boolean;
  problem?: { kind: "passkey-failed" | "passkey-unknown" | "passkey-changed" | "passkey-exists" } | undefined;
};

/** The passkey step between a password or provider and the app. */
export function passkeyStepPage(frame: Frame, data: PasskeyStepData): Html {
  const { texts, look } = frame;
  const { step, sessionPath, token, quietly } = data;
  const title = { use: texts.usePasskeyTitle, create: texts.createPasskeyTitle, offer: texts.offerPasskeyTitle }[step];
  const why = { use: texts.usePasskeyWhy(look.name), create: texts.createPasskeyWhy(look.name), offer: undefined }[
    step
  ];
  const words = wordsFor(frame, data);
  const uses = step === "use";
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${why !== undefined && html`<p>${why}</p>`}
    <div class="passkeys" data-passkeys hidden>
      ${passkeyForm(frame, {
        ceremony: uses ? "get" : "create",
        action: `${sessionPath}/step/${uses ? "passkey" : "new-passkey"}`,
        token,
        alone: true,
        quietly,
        inside: html`${passkeyButton(
            uses ? texts.usePasskey : texts.createPasskey,
            uses ? texts.usingPasskey : texts.creatingPasskey,
          )}
          <p class="hint">${texts.passkeyInOneLine}</p>
          ${notice}`,
      })}
    </div>
    ${step === "offer" ? skipForm(frame, data) : passkeyHelp(frame)} ${step !== "offer" && pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

function skipForm({ texts }: Frame, { sessionPath, token }: PasskeyStepData): Html {
  return html`<form method="post" action="${sessionPath}/step/skip">
    ${tokenField(token)} ${submitButton({ label: texts.notNow, busy: texts.continuing, look: "plain" })}
  </form>`;
}

function wordsFor(frame: Frame, { problem, step }: PasskeyStepData) {
  if (problem === undefined) return undefined;
  const { kind } = problem;
  if (kind === "passkey-exists") return createAccountProblemWords(frame, { kind }, 0);
  return step === "use"
    ? signInProblemWords(frame, { kind }, true)
    : createAccountProblemWords(frame, { kind: "passkey-failed" }, 0);
}
