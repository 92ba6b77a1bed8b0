import { html, type Html } from "../../lib/html.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { accountFrame, accountPath, backLink, type AccountPlace } from "./parts.ts";
import { mailedCodeForm } from "../sign-in/check-mail-page.ts";
import type { Frame } from "../parts/frame.ts";
import { problemSummary } from "../parts/form-parts.ts";
import { codeProblemWords } from "../parts/problems.ts";

export type VerifyEmailData = AccountPlace & {
  /** Of the account, or the new one that replaces it. */
  email: string;
  isNew: boolean;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/** Asks for the code in the mail that verifies an address. The mail's link does the same. */
export function verifyEmailPage(frame: Frame, data: VerifyEmailData): Html {
  const { texts } = frame;
  const { appId, isNew } = data;
  const action = accountPath(appId, isNew ? "/email/code" : "/verify-email/code");
  const againAction = accountPath(appId, isNew ? "/email/again" : "/verify-email");
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, { ...data, action, againAction }, words)}
    ${backLink(frame, appId, texts.backToAccount)}`;
  return accountFrame(frame, { title, body, problem: words !== undefined });
}
