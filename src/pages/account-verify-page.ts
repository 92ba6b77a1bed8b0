import { html, type Html } from "../lib/html.ts";
import { accountFrame, accountPath, backLink, type AccountPlace } from "./account-parts.ts";
import { codeField, sendAgain } from "./check-mail-page.ts";
import type { Frame } from "./frame.ts";
import { problemSummary, submitButton, tokenField } from "./parts.ts";
import { codeProblemWords, type CodeProblem } from "./problems.ts";

export type VerifyEmailData = AccountPlace & {
  email: string;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/**
 * Asks for the code in the mail that verifies an account's address. The mail's link does the same.
 */
export function verifyEmailPage(frame: Frame, data: VerifyEmailData): Html {
  const { texts } = frame;
  const { appId, token, email, again } = data;
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>
      ${texts.mailedTo} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.mailedNext}</p>
    <form method="post" action="${accountPath(appId, "/verify-email/code")}" novalidate>
      ${tokenField(token)} ${codeField(frame, words)}
      ${submitButton({ label: texts.confirmCode, busy: texts.confirming, look: "main" })}
    </form>
    ${sendAgain(frame, { action: accountPath(appId, "/verify-email"), token, again })}
    ${backLink(frame, appId, texts.backToAccount)}`;
  return accountFrame(frame, { title, body, problem: words !== undefined });
}
