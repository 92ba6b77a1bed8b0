import type { EmailProblem } from "../../lib/email.ts";
import { html, type Html } from "../../lib/html.ts";
import { emailField } from "../parts/email-field.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { createAccountProblemWords } from "../parts/problems.ts";

export type ForgotPasswordData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The entered text, or "". */
  email: string;
  /** Without a script. */
  isPreview?: true;
  problem?: { kind: `email-${EmailProblem}` } | undefined;
};

/** Asks for the account's address, to reset its password. */
export function forgotPasswordPage(frame: Frame, data: ForgotPasswordData): Html {
  const { sessionPath, token, email, isPreview, problem } = data;
  const { texts, look } = frame;
  const words = problem && createAccountProblemWords(frame, problem, 0);
  const title = texts.resetPassword;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${texts.forgotLead(look.name)}</p>
    <form method="post" action="${sessionPath}/forgot-password" novalidate>
      ${tokenField(token)} ${emailField(frame, email, words)}
      ${submitButton({ label: texts.sendMail, busy: texts.sending, look: "main" })}
    </form>
    ${backToSignIn(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: !isPreview, problem: words !== undefined, sessionPath });
}

/**
 * Explains that password reset by mail is not set up, and what to do instead. `passkey`: whether
 * the app offers passkeys, which are then suggested first.
 */
export function noResetPage(frame: Frame, { sessionPath, passkey }: { sessionPath: string; passkey: boolean }): Html {
  const { texts, look } = frame;
  const body = html`<h1>${texts.resetPassword}</h1>
    <p>${texts.resetNotSetUp(look.name)}</p>
    <p>${passkey ? texts.resetOrPasskey(look.name) : texts.resetAskSupport(look.name)}</p>
    <a class="button main" href="${sessionPath}">${texts.backToSignIn}</a>`;
  return framePage(frame, { title: texts.resetPassword, body });
}

export function backToSignIn({ texts }: Frame, sessionPath: string): Html {
  return html`<div class="end"><a class="quiet" href="${sessionPath}">${texts.backToSignIn}</a></div>`;
}
