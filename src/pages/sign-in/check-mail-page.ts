import { html, type Html } from "../../lib/html.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { field, pageEnd, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { codeProblemWords, type ProblemWords } from "../parts/problems.ts";

export type CheckMailData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the mail, whether or not it has an account. */
  email: string;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/** Waits for the person to verify the address of a new account. */
export function checkMailPage(frame: Frame, data: CheckMailData): Html {
  const { texts } = frame;
  const { sessionPath } = data;
  const path = `${sessionPath}/confirm`;
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, { ...data, action: path, againAction: `${path}/again` }, words)}
    ${pageEnd(frame, sessionPath, {
      lead: texts.wrongAddress,
      href: `${sessionPath}/create-account`,
      label: texts.otherAddress,
    })}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/** Asks within a sign-in for a mailed code, and for nothing else. */
export function mailedCodeStep(
  frame: Frame,
  sessionPath: string,
  shown: MailedCode,
  words: ProblemWords | undefined,
): Html {
  const title = frame.texts.checkMail;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, shown, words)} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/** `lead`, `submit`, `busy`: other words than usual. */
type MailedCode = {
  email: string;
  token: string;
  action: string;
  againAction: string;
  again: boolean;
  lead?: string;
  submit?: string;
  busy?: string;
};

/** Says where a mail went, asks for its code, and offers another mail. */
export function mailedCodeForm(frame: Frame, shown: MailedCode, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  const { email, token, action, againAction, again } = shown;
  const { lead = texts.mailedTo, submit = texts.confirmCode, busy = texts.confirming } = shown;
  return html`<p>
      ${lead} <strong><bdi>${email}</bdi></strong>
    </p>
    <p>${texts.mailedNext}</p>
    <form method="post" action="${action}" novalidate>
      ${tokenField(token)} ${codeField(frame, words)} ${submitButton({ label: submit, busy, look: "main" })}
    </form>
    ${sendAgain(frame, { action: againAction, token, again })}`;
}

export function codeField(frame: Frame, words: ProblemWords | undefined): Html {
  const { texts } = frame;
  return field(
    frame,
    { name: "code", label: texts.code, type: "code", autocomplete: "one-time-code", hint: texts.codeHint },
    words,
  );
}

/** Replaces the last mail by a new one. `email` is sent along if the session does not know it. */
export function sendAgain(
  { texts }: Frame,
  { action, token, again, email }: { action: string; token: string; again: boolean; email?: string },
): Html {
  return html`<form method="post" action="${action}">
    ${tokenField(token)} ${email !== undefined && html`<input type="hidden" name="email" value="${email}" />`}
    <input type="hidden" name="again" value="1" />
    <p class="hint" role="status">${again ? texts.sentAgain : texts.noMail}</p>
    ${submitButton({ label: texts.sendAgain, busy: texts.sending, look: "plain" })}
  </form>`;
}
