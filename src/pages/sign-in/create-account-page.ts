import { html, type Html } from "../../lib/html.ts";
import type { CreateAccountProblem } from "../../sign-in/problems.ts";
import { emailField } from "../parts/email-field.ts";
import { framePage, ownWords, type Frame } from "../parts/frame.ts";
import type { PageMethods } from "../parts/methods.ts";
import {
  counterpart,
  divider,
  field,
  notice,
  pageEnd,
  passkeyButton,
  problemSummary,
  providerForms,
  submitButton,
  tokenField,
} from "../parts/form-parts.ts";
import { newPasswordField } from "../parts/new-password-field.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { createAccountProblemWords, refusedAddress, type ProblemWords } from "../parts/problems.ts";

export type CreateAccountData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  /** Anti-forgery token, the hidden field `token` of every form. */
  token: string;
  /** The entered text, or "". */
  email: string;
  name: string;
  methods: PageMethods;
  passwordMinLength: number;
  /** With sign-up rules: the domains that a refusal names. */
  allowedDomains?: string[] | undefined;
  /** Without a script. */
  isPreview?: true;
  problem?: CreateAccountProblem | readonly CreateAccountProblem[];
};

const passkeyFormId = "passkey-form";

/** Creates an account with a passkey or a password. */
export function createAccountPage(frame: Frame, data: CreateAccountData): Html {
  const { texts, look } = frame;
  const { methods, sessionPath } = data;
  const words = [data.problem ?? []]
    .flat()
    .map((problem) => createAccountProblemWords(frame, problem, data.passwordMinLength));
  const own = ownWords(frame, "sign-up");
  const title = own.title ?? texts.createAccountAt(look.name);
  const instead = counterpart(texts.haveAccount, sessionPath, texts.signIn);
  const typed = methods.passkey || methods.password;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)} ${own.intro ? html`${own.intro} ${instead}` : instead}
    ${methods.password && passwordForm(frame, data, words)}
    ${!methods.password && methods.passkey && passkeyOnly(frame, data, words)}
    ${methods.password && methods.passkey && hiddenPasskeyForm(frame, data)}
    ${typed && methods.oauth.length > 0 && divider(texts.or)} ${providerForms(frame, data)}
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: !data.isPreview, problem: words.length > 0, sessionPath });
}

/**
 * The password form, which works without JavaScript. Email and name are typed once: the passkey
 * button in the middle belongs to a second form, into which the browser code copies them.
 */
function passwordForm(frame: Frame, data: CreateAccountData, words: ProblemWords[]): Html {
  const { texts } = frame;
  return html`<form method="post" action="${data.sessionPath}/create-account" novalidate>
    ${tokenField(data.token)} ${whoFields(frame, data, words)}
    ${data.methods.passkey && passkeyPart(frame, divider(texts.orChoosePassword))}
    ${newPasswordField(frame, { label: texts.password, minLength: data.passwordMinLength, formPath: data.sessionPath }, words)}
    ${submitButton({ label: texts.createAccount, busy: texts.creatingAccount, look: "main" })}
  </form>`;
}

function passkeyOnly(frame: Frame, data: CreateAccountData, words: ProblemWords[]): Html {
  return passkeyForm(frame, {
    ...passkeyFormOf(frame, data),
    alone: true,
    inside: html`${whoFields(frame, data, words)} ${passkeyPart(frame)} ${passkeyHelp(frame)}`,
  });
}

function hiddenPasskeyForm(frame: Frame, data: CreateAccountData): Html {
  return passkeyForm(frame, {
    ...passkeyFormOf(frame, data),
    alone: false,
    inside: html`<input type="hidden" name="email" /><input type="hidden" name="name" />`,
  });
}

function passkeyFormOf(frame: Frame, { sessionPath, token, allowedDomains: allowed }: CreateAccountData) {
  return {
    ceremony: "create",
    id: passkeyFormId,
    action: `${sessionPath}/create-account/passkey`,
    token,
    refused: allowed && refusedAddress(frame, allowed),
  } as const;
}

function passkeyPart({ texts }: Frame, after?: Html): Html {
  return html`<div class="passkeys" data-passkeys hidden>
    ${passkeyButton(texts.createPasskey, texts.creatingPasskey, passkeyFormId)}
    <p class="hint">${texts.passkeyInOneLine}</p>
    ${notice} ${after}
  </div>`;
}

function whoFields(frame: Frame, { email, name }: CreateAccountData, words: ProblemWords[]): Html {
  const { texts } = frame;
  return html`${emailField(frame, email, words)}
  ${field(
    frame,
    { name: "name", label: texts.name, type: "text", autocomplete: "name", value: name, mark: texts.optional },
    words,
  )}`;
}
