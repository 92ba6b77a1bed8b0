import { html, type Html } from "../../lib/html.ts";
import type { ResetProblem } from "../../sign-in/problems.ts";
import { codeField, sendAgain } from "./check-mail-page.ts";
import { backToSignIn } from "./forgot-password-page.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { newPasswordField } from "../parts/new-password-field.ts";
import { resetProblemWords, type ProblemWords } from "../parts/problems.ts";
import { unprovenPart, type UnprovenData } from "./take-over-page.ts";

type Common = {
  token: string;
  passwordMinLength: number;
  problem?: ResetProblem | undefined;
  /**
   * What the first proof of an address also removes. The form returns its mark, which shows that
   * the person has seen it.
   */
  removes?: UnprovenData | undefined;
};

/**
 * `sessionPath`: "/sign-in/sis_…", without a trailing slash. `again`: whether the mail was just
 * sent again.
 */
export type ResetByCodeData = Common & { sessionPath: string; email: string; again: boolean; code?: string };

/**
 * `path`: "/reset/…", the link, which only a POST consumes. `action`: the same with the link's
 * query. `email`: the account's address, if it has one.
 */
export type ResetByLinkData = Common & { path: string; action: string; email: string | null };

/** Asks for the mailed code and a new password. The same for every address. */
export function resetByCodePage(frame: Frame, data: ResetByCodeData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, email } = data;
  const words = wordsFor(frame, data);
  // After a valid code, only the person's consent is missing.
  const { code, removes } = data;
  const title = code === undefined ? texts.checkMail : texts.takeOverTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>
      ${code === undefined ? texts.resetMailedTo(look.name) : texts.takeOverFor(look.name)}
      <strong><bdi>${email}</bdi></strong>
    </p>
    ${removes && unprovenPart(frame, removes)}
    <p>${code === undefined ? texts.resetMailedNext : texts.enterPasswordToAgree}</p>
    <form method="post" action="${sessionPath}/reset" novalidate>
      ${tokenField(token)} <input type="hidden" name="email" autocomplete="username" value="${email}" />
      ${code === undefined ? codeField(frame, words) : html`<input type="hidden" name="code" value="${code}" />`}
      ${newPassword(frame, data, sessionPath, words)}
    </form>
    ${code === undefined && sendAgain(frame, { action: `${sessionPath}/forgot-password`, token, again: data.again, email })}
    ${backToSignIn(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/** Opened by the mailed link, on any device. */
export function resetByLinkPage(frame: Frame, data: ResetByLinkData): Html {
  const { texts, look } = frame;
  const { path, action, token, email, removes } = data;
  const words = wordsFor(frame, data);
  const title = texts.chooseNewPassword;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    ${
      email !== null &&
      html`<p>
        ${texts.newPasswordFor(look.name)} <strong><bdi>${email}</bdi></strong>
      </p>`
    }
    ${removes && unprovenPart(frame, removes)}
    <form method="post" action="${action}" novalidate>
      ${tokenField(token)}
      ${email !== null && html`<input type="hidden" name="username" autocomplete="username" value="${email}" />`}
      ${newPassword(frame, data, path, words)}
    </form>`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined });
}

function newPassword(frame: Frame, data: Common, formPath: string, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { passwordMinLength, removes } = data;
  return html`${removes && html`<input type="hidden" name="agreed" value="${removes.mark}" />`}
    ${newPasswordField(frame, { label: texts.newPassword, minLength: passwordMinLength, formPath }, words)}
    <p class="hint">${texts.endsLogins}</p>
    ${submitButton({ label: removes ? texts.takeOverAgree : texts.savePassword, busy: texts.saving, look: "main" })}`;
}

function wordsFor(frame: Frame, { problem, passwordMinLength }: Common): ProblemWords | undefined {
  return problem && resetProblemWords(frame, problem, passwordMinLength);
}
