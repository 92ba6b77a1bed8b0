import type { EmailProblem } from "../../lib/email.ts";
import { html, type Html } from "../../lib/html.ts";
import type { CodeProblem } from "../../sign-in/problems.ts";
import { mailedCodeForm } from "./check-mail-page.ts";
import { backToSignIn } from "./forgot-password-page.ts";
import { emailField } from "../parts/email-field.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { pageEnd, problemSummary, submitButton, tokenField, type ButtonOptions } from "../parts/form-parts.ts";
import { codeProblemWords, createAccountProblemWords, type ProblemWords } from "../parts/problems.ts";

/** `sessionPath`: "/sign-in/sis_…", without a trailing slash. */
type Place = { sessionPath: string; token: string };

export type EmailCodeData = Place & {
  /** What the person typed, or "". */
  email: string;
  problem?: { kind: `email-${EmailProblem}` } | undefined;
};

export type MailedCodeData = Place & {
  /** The address of the mail, whether or not it has an account. */
  email: string;
  /** Whether an address without an account gets a mail too. */
  signUpOpen: boolean;
  /** The address of a known account, which nobody typed. */
  isKnown?: boolean;
  /** Whether the mail was just sent again. */
  again: boolean;
  problem?: CodeProblem | undefined;
};

/** Asks for the address that a code is mailed to. */
export function emailCodePage(frame: Frame, data: EmailCodeData): Html {
  const { texts, look } = frame;
  const { sessionPath, problem } = data;
  const words = problem && createAccountProblemWords(frame, problem, 0);
  const title = texts.signInTo(look.name);
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${emailCodeForm(frame, { ...data, look: "main" }, words)}
    ${backToSignIn(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

export function emailCodeForm(
  frame: Frame,
  shown: Place & Pick<ButtonOptions, "look" | "usedLast"> & { email: string; autocomplete?: string },
  words: ProblemWords | undefined,
): Html {
  const { texts } = frame;
  const { sessionPath, token, email, autocomplete, look, usedLast } = shown;
  return html`<form method="post" action="${sessionPath}/email-code" novalidate>
    ${tokenField(token)} ${emailField(frame, email, words, autocomplete)}
    <p class="hint">${texts.emailCodeInOneLine}</p>
    ${submitButton({ label: texts.emailMeCode, busy: texts.sending, look, usedLast })}
  </form>`;
}

/** To the page that asks for the address, which keeps what was typed here. */
export function emailCodeLink({ texts }: Frame, sessionPath: string, usedLast: string | undefined): Html {
  const described = usedLast !== undefined && html`aria-describedby="used-last"`;
  const link = html`<a class="button plain" href="${sessionPath}/email-code" ${described}>${texts.emailMeCode}</a>`;
  if (usedLast === undefined) return link;
  return html`<div class="marked">${link}<small id="used-last" aria-hidden="true">${usedLast}</small></div>`;
}

/** Asks for the mailed code. The same for every address. */
export function mailedCodePage(frame: Frame, data: MailedCodeData): Html {
  const { texts, look } = frame;
  const { sessionPath, signUpOpen, isKnown = false } = data;
  const action = `${sessionPath}/code`;
  const lead = signUpOpen || isKnown ? texts.mailedTo : texts.resetMailedTo(look.name);
  const words = data.problem && codeProblemWords(frame, data.problem);
  const title = texts.checkMail;
  const form = { ...data, lead, submit: texts.signIn, busy: texts.signingIn, action, againAction: `${action}/again` };
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${mailedCodeForm(frame, form, words)}
    ${pageEnd(
      frame,
      sessionPath,
      isKnown ? undefined : { lead: texts.wrongAddress, href: `${sessionPath}/email-code`, label: texts.otherAddress },
    )}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

/**
 * Opened by the mailed link, in the browser that asked for it. `path`: "/confirm/…", which only a
 * POST consumes.
 */
export function signInLinkPage(frame: Frame, { path, token, email }: { path: string; token: string; email: string }) {
  const { texts, look } = frame;
  const title = texts.signInTo(look.name);
  const body = html`<h1>${title}</h1>
    <p>
      ${texts.signInAs} <strong><bdi>${email}</bdi></strong>
    </p>
    <form method="post" action="${path}">
      ${tokenField(token)} ${submitButton({ label: texts.signIn, busy: texts.signingIn, look: "main" })}
    </form>`;
  return framePage(frame, { title, body, script: true });
}
