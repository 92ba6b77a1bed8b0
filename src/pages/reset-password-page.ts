import { html, type Html } from "../lib/html.ts";
import { codeField, sendAgain } from "./check-mail-page.ts";
import { backToSignIn } from "./forgot-password-page.ts";
import { framePage, type Frame } from "./frame.ts";
import { field, problemSummary, submitButton, tokenField } from "./parts.ts";
import {
  codeProblemWords,
  createAccountProblemWords,
  type CodeProblem,
  type CreateAccountProblem,
  type ProblemWords,
} from "./problems.ts";

export type ResetProblem = CodeProblem | CreateAccountProblem;

type Common = { token: string; passwordMinLength: number; problem?: ResetProblem | undefined };

/** `sessionPath`: "/sign-in/sis_…", without a trailing slash. `again`: whether the mail was just asked for once more. */
export type ResetByCodeData = Common & { sessionPath: string; email: string; again: boolean };

/** `path`: "/reset/…", the link itself, which only a post uses up. `email`: whose password it is, if that has an address. */
export type ResetByLinkData = Common & { path: string; email: string | null };

/** A mail may be on its way: its code and a new password. The same for every address. */
export function resetByCodePage(frame: Frame, data: ResetByCodeData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, email } = data;
  const words = wordsFor(frame, data);
  const title = texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>
      ${texts.resetMailedTo(look.name)} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.resetMailedNext}</p>
    <form method="post" action="${sessionPath}/reset" novalidate>
      ${tokenField(token)} <input type="hidden" name="email" autocomplete="username" value="${email}" />
      ${codeField(frame, words)} ${newPassword(frame, data, words)}
    </form>
    ${sendAgain(frame, { action: `${sessionPath}/forgot-password`, token, again: data.again, email })}
    ${backToSignIn(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/** What the link of a mail opens, on any device. */
export function resetByLinkPage(frame: Frame, data: ResetByLinkData): Html {
  const { texts, look } = frame;
  const { path, token, email } = data;
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
    <form method="post" action="${path}" novalidate>
      ${tokenField(token)}
      ${email !== null && html`<input type="hidden" name="username" autocomplete="username" value="${email}" />`}
      ${newPassword(frame, data, words)}
    </form>`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined });
}

function newPassword(frame: Frame, { passwordMinLength }: Common, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  return html`${field(
      frame,
      {
        name: "password",
        label: texts.newPassword,
        type: "password",
        autocomplete: "new-password",
        hint: texts.passwordRule(passwordMinLength),
        minLength: passwordMinLength,
      },
      words,
    )}
    <p class="hint">${texts.endsLogins}</p>
    ${submitButton({ label: texts.savePassword, busy: texts.saving, look: "main" })}`;
}

function wordsFor(frame: Frame, { problem, passwordMinLength }: Common): ProblemWords | undefined {
  if (problem === undefined) return undefined;
  return isCodeProblem(problem)
    ? codeProblemWords(frame, problem)
    : createAccountProblemWords(frame, problem, passwordMinLength);
}

function isCodeProblem(problem: ResetProblem): problem is CodeProblem {
  return problem.kind.startsWith("code-");
}
