import { html, type Html } from "../../lib/html.ts";
import {
  factorProblemWords,
  recoveryCodes,
  setUpForm,
  type FactorProblem,
  type SetUpForm,
} from "../parts/factor-parts.ts";
import { divider, field, pageEnd, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { passkeyGlyph } from "../../look/glyphs.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { passkeyForm } from "../parts/passkey-form.ts";

/** `sessionPath`: "/sign-in/sis_…", without a trailing slash. */
type Common = { sessionPath: string; token: string; problem?: FactorProblem | undefined };

export type SecondFactorData = Common & {
  /** Whether the user has a passkey, which will do as well. */
  hasPasskey: boolean;
  /** For how many days the browser can be trusted; 0: not at all. */
  trustDays: number;
  /** Whether the field is for a recovery code; the service takes either kind from both. */
  recovery: boolean;
};

/** Part of the page's query, and of the form's action, which so remembers the choice. */
export const recoveryQuery = { name: "with", value: "recovery-code" } as const;

/** Part of the page's query: the person wants to replace an app that may not work. */
export const replaceQuery = { name: "replace", value: "app" } as const;

/** Asks for a code of the authenticator app, a recovery code, or the passkey. */
export function secondFactorPage(frame: Frame, data: SecondFactorData): Html {
  const { texts, look } = frame;
  const { sessionPath, token, trustDays, recovery } = data;
  const words = data.problem && factorProblemWords(frame, data.problem, recovery);
  const title = recovery ? texts.recoveryTitle : texts.factorTitle;
  const query = `?${recoveryQuery.name}=${recoveryQuery.value}`;
  const code = recovery
    ? ({ label: texts.recoveryCode, type: "letter-code", autocomplete: "off", hint: texts.recoveryHint } as const)
    : ({ label: texts.code, type: "code", autocomplete: "one-time-code", hint: texts.factorHint } as const);
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${recovery ? texts.recoveryNext : texts.factorNext(look.name)}</p>
    <form method="post" action="${sessionPath}/step/code${recovery && query}" novalidate>
      ${tokenField(token)} ${field(frame, { name: "code", ...code }, words)}
      ${
        trustDays > 0 &&
        html`<label class="check"
          ><input type="checkbox" name="trust" value="yes" /> ${texts.trustBrowser(trustDays)}</label
        >`
      }
      ${submitButton({ label: texts.continue, busy: texts.continuing, look: "main" })}
    </form>
    ${data.hasPasskey && passkeyPart(frame, data)}
    <p class="hint other">
      <a href="${sessionPath}${!recovery && query}">${recovery ? texts.useAppCode : texts.useRecoveryCode}</a>
    </p>
    ${recovery && html`<p class="hint">${texts.factorLost(look.name)}</p>`} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

function passkeyPart(frame: Frame, { sessionPath, token }: SecondFactorData): Html {
  const { texts } = frame;
  return html`<div class="passkeys" data-passkeys hidden>
    ${divider(texts.or)}
    ${passkeyForm(frame, {
      ceremony: "get",
      action: `${sessionPath}/step/passkey`,
      token,
      alone: false,
      inside: submitButton({
        label: texts.usePasskey,
        busy: texts.usingPasskey,
        look: "second",
        before: passkeyGlyph,
      }),
    })}
  </div>`;
}

/** Sets TOTP up where it is required, or replaces an app that may not work. */
export function setUpFactorPage(frame: Frame, data: Common & Omit<SetUpForm, "action"> & { replaces?: boolean }): Html {
  const { texts, look } = frame;
  const { sessionPath, replaces = false } = data;
  const words = data.problem && factorProblemWords(frame, data.problem);
  const title = replaces ? texts.replaceTitle : texts.setUpTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${replaces ? texts.replaceNext : texts.setUpWhy(look.name)}</p>
    ${setUpForm(frame, { ...data, action: `${sessionPath}/step/set-up` }, words)} ${pageEnd(frame, sessionPath)}`;
  const stylesheet = frame.assets.accountStylesheet;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath, stylesheet });
}

/**
 * All is proven. `codes`: the new recovery codes, shown once; undefined if the page is opened
 * again. `left`: how many there are after one was used; undefined if none was. `mayReplace`: the
 * app was due, and may not work.
 */
export function recoveryCodesPage(
  frame: Frame,
  data: Common & { codes?: string[] | undefined; left: number | undefined; mayReplace?: boolean },
): Html {
  const { texts } = frame;
  const { sessionPath, token, codes, left, mayReplace = false } = data;
  const title = left === undefined ? texts.codesTitle : texts.codeUsedTitle;
  const used =
    left !== undefined &&
    html`<p>${texts.codesLeft(left)}</p>
      ${left < 3 && html`<p>${texts.codesFew}</p>`}
      ${
        mayReplace &&
        html`<p>${texts.appNotUsed}</p>
          <p><a href="${sessionPath}?${replaceQuery.name}=${replaceQuery.value}">${texts.replaceTitle}</a></p>`
      }`;
  const body = html`<h1>${title}</h1>
    ${codes ? recoveryCodes(frame, codes) : used || html`<p>${texts.codesAway}</p>`}
    <form method="post" action="${sessionPath}/step/continue">
      ${tokenField(token)}
      ${submitButton({ label: codes ? texts.codesKept : texts.continue, busy: texts.continuing, look: "main" })}
    </form>
    ${pageEnd(frame, sessionPath)}`;
  const stylesheet = frame.assets.accountStylesheet;
  return framePage(frame, { title, body, script: true, sessionPath, stylesheet });
}
