import { html, type Html } from "../../lib/html.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { providerMark } from "../../look/marks.ts";
import type { CreateAccountProblem } from "../../sign-in/problems.ts";
import { notice, pageEnd, passkeyButton, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { newPasswordField } from "../parts/new-password-field.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { createAccountProblemWords, type ProblemWords } from "../parts/problems.ts";

export type AddMethodData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The account's address, or else its name. */
  account: string;
} & (
  | { adds: "passkey"; problem?: CreateAccountProblem | undefined }
  | { adds: "password"; hasOne: boolean; passwordMinLength: number; problem?: CreateAccountProblem | undefined }
  | {
      adds: "oauth";
      provider: { name: string; displayName: string };
      problem?: { kind: "identity-taken" | "identity-there" | "provider-failed" | "provider-cancelled" } | undefined;
    }
);

/** Adds a sign-in method. Names the account and does nothing until the person agrees. */
export function addMethodPage(frame: Frame, data: AddMethodData): Html {
  const { texts, look } = frame;
  const title = titleOf(frame, data);
  const words = wordsFor(frame, data);
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>
      ${texts.addTo(look.name)} <strong><bdi>${data.account}</bdi></strong>
    </p>
    ${formOf(frame, data, words)} ${pageEnd(frame, data.sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath: data.sessionPath });
}

function titleOf({ texts }: Frame, data: AddMethodData): string {
  if (data.adds === "passkey") return texts.addPasskeyTitle;
  if (data.adds === "oauth") return texts.addProviderTitle(data.provider.displayName);
  return data.hasOne ? texts.changePasswordTitle : texts.addPasswordTitle;
}

function formOf(frame: Frame, data: AddMethodData, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { sessionPath, token } = data;
  if (data.adds === "passkey") {
    return html`<div class="passkeys" data-passkeys hidden>
        ${passkeyForm(frame, {
          ceremony: "create",
          action: `${sessionPath}/add/passkey`,
          token,
          alone: true,
          inside: html`${passkeyButton(texts.createPasskey, texts.creatingPasskey)}
            <p class="hint">${texts.passkeyInOneLine}</p>
            ${notice}`,
        })}
      </div>
      ${passkeyHelp(frame)}`;
  }
  if (data.adds === "oauth") {
    const { name, displayName } = data.provider;
    return html`<p>${texts.addProviderNext(displayName)}</p>
      <form method="post" action="${sessionPath}/add/oauth">
        ${tokenField(token)}
        ${submitButton({
          label: texts.continueWith(displayName),
          busy: texts.opening(displayName),
          look: "main",
          before: providerMark(name),
        })}
      </form>`;
  }
  return html`<form method="post" action="${sessionPath}/add/password" novalidate>
    ${tokenField(token)}
    <input type="hidden" name="username" autocomplete="username" value="${data.account}" />
    ${newPasswordField(frame, { label: texts.newPassword, minLength: data.passwordMinLength, formPath: sessionPath }, words)}
    ${submitButton({ label: texts.savePassword, busy: texts.saving, look: "main" })}
  </form>`;
}

function wordsFor(frame: Frame, data: AddMethodData): ProblemWords | undefined {
  const { texts } = frame;
  if (data.problem === undefined) return undefined;
  if (data.adds !== "oauth")
    return createAccountProblemWords(frame, data.problem, data.adds === "password" ? data.passwordMinLength : 0);
  const { displayName } = data.provider;
  switch (data.problem.kind) {
    case "identity-taken":
      return { summary: texts.identityTaken(displayName) };
    case "identity-there":
      return { summary: texts.identityThere(displayName) };
    case "provider-failed":
      return { summary: texts.providerFailed(displayName) };
    case "provider-cancelled":
      return { summary: texts.providerCancelled(displayName) };
  }
}
