/** Shows the step after a password that must be replaced: it proves nothing else until then. */
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as requiredChange from "../../sign-in/passwords/required-change.ts";
import type { Evidence } from "../../sign-in/passwords/required-change.ts";
import type { ResetProblem } from "../../sign-in/problems.ts";
import type { User } from "../../users/user.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import {
  divider,
  notice,
  pageEnd,
  passkeyButton,
  problemSummary,
  submitButton,
  tokenField,
} from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { newPasswordField } from "../parts/new-password-field.ts";
import { passkeyForm } from "../parts/passkey-form.ts";
import { resetProblemWords } from "../parts/problems.ts";
import { endTokensToo } from "../account/tokens.ts";
import { codeField, sendAgain } from "./check-mail-page.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

type Shown = { problem?: ResetProblem; isMailed?: boolean; again?: boolean };

export async function show(ctx: Context, visit: Visit, user: User, shown: Shown = {}): Promise<Answer> {
  const { reader } = ctx.storage;
  const { problem } = shown;
  const evidence = await requiredChange.evidenceFor(ctx, reader, visit, user);
  const hasPasskey = visit.application.authMethods.passkey.enabled && (await passkeys.hasAny(reader, user.id));
  const body = newPasswordPage(visit.frame, {
    sessionPath: pathOf(visit),
    token: visit.browser.formToken,
    passwordMinLength: visit.application.settings.passwordMinLength,
    email: user.email ?? "",
    canReset: mail.available(ctx) && user.email !== null,
    isMailed: problem !== undefined,
    ...shown,
    evidence,
    hasPasskey,
    hasTokens: (await personalTokens.list(ctx, user.id, { all: false })).length > 0,
  });
  const isBusy = problem?.kind === "too-many-tries" || problem?.kind === "busy";
  const status = problem === undefined ? 200 : isBusy ? 429 : 422;
  return withRetryAfter(visits.page(ctx, visit, body, status), problem);
}

export type NewPasswordData = {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  passwordMinLength: number;
  email: string;
  evidence: Evidence;
  /** Whether the code was mailed, so that it can be typed; `again`: once more, just now. */
  isMailed: boolean;
  again?: boolean;
  hasPasskey: boolean;
  hasTokens: boolean;
  canReset: boolean;
  problem?: ResetProblem | undefined;
};

export function newPasswordPage(frame: Frame, data: NewPasswordData): Html {
  const { texts, look } = frame;
  const { sessionPath, problem, evidence, isMailed, hasPasskey } = data;
  const words = problem && resetProblemWords(frame, problem, data.passwordMinLength);
  const title = texts.chooseNewPassword;
  const needsMail = evidence === "mail" && !isMailed;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${texts.newPasswordWanted(look.name)}</p>
    ${needsMail && mailPart(frame, data)} ${evidence !== undefined && !needsMail && formPart(frame, data)}
    ${evidence === undefined && resetPart(frame, data)} ${hasPasskey && passkeyPart(frame, data)}
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

function mailPart({ texts }: Frame, { sessionPath, token, email }: NewPasswordData): Html {
  return html`<p>
      ${texts.newPasswordByMail} <strong><bdi>${email}</bdi></strong>
    </p>
    <form method="post" action="${sessionPath}/step/new-password/code">
      ${tokenField(token)} ${submitButton({ label: texts.emailMeCode, busy: texts.sending, look: "main" })}
    </form>`;
}

function formPart(frame: Frame, data: NewPasswordData): Html {
  const { texts } = frame;
  const { sessionPath, token, email, evidence, passwordMinLength, problem, again = false } = data;
  const words = problem && resetProblemWords(frame, problem, passwordMinLength);
  return html`<form method="post" action="${sessionPath}/step/new-password" novalidate>
      ${tokenField(token)}
      <input type="hidden" name="username" autocomplete="username" value="${email}" />
      ${evidence === "mail" && codeField(frame, words)}
      ${newPasswordField(frame, { label: texts.newPassword, minLength: passwordMinLength, formPath: sessionPath }, words)}
      <p class="hint">${texts.endsLogins}</p>
      ${data.hasTokens && endTokensToo(frame)}
      ${submitButton({ label: texts.savePassword, busy: texts.saving, look: "main" })}
    </form>
    ${evidence === "mail" && sendAgain(frame, { action: `${sessionPath}/step/new-password/code`, token, again, email })}`;
}

function resetPart({ texts, look }: Frame, { sessionPath, canReset }: NewPasswordData): Html {
  return canReset
    ? html`<p>${texts.newPasswordByReset}</p>
        <p><a href="${sessionPath}/forgot-password">${texts.forgotPassword}</a></p>`
    : html`<p>${texts.resetAskSupport(look.name)}</p>`;
}

function passkeyPart(frame: Frame, { sessionPath, token }: NewPasswordData): Html {
  const { texts } = frame;
  return html`<div class="passkeys" data-passkeys hidden>
    ${divider(texts.or)}
    ${passkeyForm(frame, {
      ceremony: "get",
      action: `${sessionPath}/step/passkey`,
      token,
      alone: false,
      inside: html`${passkeyButton(texts.usePasskey, texts.usingPasskey)} ${notice}`,
    })}
  </div>`;
}
