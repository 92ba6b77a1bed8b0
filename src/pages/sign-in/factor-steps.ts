/** Shows the steps of a second factor. */
import * as passkeys from "../../credentials/passkeys/service.ts";
import * as factors from "../../factors/service.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { passkeyGlyph } from "../../look/glyphs.ts";
import type { Context } from "../../runtime/context.ts";
import * as factorSignIn from "../../sign-in/factors/factor-sign-in.ts";
import type { User } from "../../users/user.ts";
import { withRetryAfter } from "../hosted/hosted.ts";
import {
  factorProblemWords,
  recoveryCodes,
  setUpForm,
  type FactorProblem,
  type SetUpForm,
} from "../parts/factor-parts.ts";
import { divider, field, notice, pageEnd, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import { framePage, safeHref, type Frame } from "../parts/frame.ts";
import { passkeyForm, passkeyHelp } from "../parts/passkey-form.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

function statusOf(problem: FactorProblem | undefined): number {
  if (problem === undefined) return 200;
  return problem.kind === "too-many-tries" || problem.kind === "factor-blocked" ? 429 : 422;
}

export async function showSecondFactor(
  ctx: Context,
  visit: Visit,
  user: User,
  problem?: FactorProblem,
): Promise<Answer> {
  const { settings, authMethods } = visit.application;
  const hasPasskey = authMethods.passkey.enabled && (await passkeys.hasAny(ctx.storage.reader, user.id));
  const isBlocked =
    problem?.kind === "factor-blocked" || (await factors.factsOf(ctx.storage.reader, user.id)).isBlocked;
  const recovery = visit.request.query().get(recoveryQuery.name) === recoveryQuery.value;
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, problem, hasPasskey, isBlocked, recovery };
  const isConfined = visit.session.provenWith === "organization";
  const body = secondFactorPage(visit.frame, {
    ...data,
    trustDays: isConfined ? 0 : (settings.trustBrowsersDays ?? 0),
  });
  return withRetryAfter(visits.page(ctx, visit, body, statusOf(problem)), problem);
}

export async function showSetUp(
  ctx: Context,
  visit: Visit,
  user: User,
  {
    problem,
    again,
    replaces = false,
  }: { problem?: FactorProblem; again?: string | undefined; replaces?: boolean } = {},
): Promise<Answer> {
  const setUp = await factorSignIn.setUp(ctx, visit, user, again);
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, problem, replaces, ...setUp };
  return visits.page(ctx, visit, setUpFactorPage(visit.frame, data), statusOf(problem));
}

/** `codes`: just made, and never shown again. */
export async function showCodes(
  ctx: Context,
  visit: Visit,
  user: User,
  { secondFactor, codes }: { secondFactor: string | null; codes?: string[] },
): Promise<Answer> {
  const isUsed = secondFactor === "recovery-code";
  const mayReplace = isUsed && (await factorSignIn.mayReplace(ctx, visit.session, user));
  if (mayReplace && visit.request.query().get(replaceQuery.name) === replaceQuery.value)
    return await showSetUp(ctx, visit, user, { replaces: true });
  const left = isUsed ? (await factors.factsOf(ctx.storage.reader, user.id)).codesLeft : undefined;
  const data = { sessionPath: pathOf(visit), token: visit.browser.formToken, codes, left, mayReplace };
  return visits.page(ctx, visit, recoveryCodesPage(visit.frame, data));
}

/** `sessionPath`: "/sign-in/sis_…", without a trailing slash. */
type Common = { sessionPath: string; token: string; problem?: FactorProblem | undefined };

export type SecondFactorData = Common & {
  /** Whether the user has a passkey, which is accepted too. */
  hasPasskey: boolean;
  /** After too many wrong codes, no code is checked: there is no form for one. */
  isBlocked: boolean;
  /** For how many days the browser can be trusted; 0: not at all. */
  trustDays: number;
  /** Whether the field is for a recovery code; the service takes either kind from both. */
  recovery: boolean;
};

/** Part of the page's query, and of the form's action, which thus remembers the choice. */
const recoveryQuery = { name: "with", value: "recovery-code" } as const;

/** Part of the page's query: the person wants to replace an app that may be lost. */
const replaceQuery = { name: "replace", value: "app" } as const;

/** Asks for a code of the authenticator app, a recovery code, or the passkey. */
export function secondFactorPage(frame: Frame, data: SecondFactorData): Html {
  if (data.isBlocked) return blockedFactorPage(frame, data);
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
    ${data.hasPasskey && html`<div class="passkeys" data-passkeys hidden>${divider(texts.or)} ${passkeyPart(frame, data)}</div>`}
    <p class="hint other">
      <a href="${sessionPath}${!recovery && query}">${recovery ? texts.useAppCode : texts.useRecoveryCode}</a>
    </p>
    ${recovery && html`<p class="hint">${texts.factorLost(look.name)}</p>`} ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath });
}

function passkeyPart(frame: Frame, { sessionPath, token, isBlocked }: SecondFactorData): Html {
  const { texts } = frame;
  return passkeyForm(frame, {
    ceremony: "get",
    action: `${sessionPath}/step/passkey`,
    token,
    alone: isBlocked,
    inside: html`${submitButton({
      label: texts.usePasskey,
      busy: texts.usingPasskey,
      look: isBlocked ? "main" : "second",
      before: passkeyGlyph,
    })}
    ${notice}`,
  });
}

/** Says what works instead of a code: the passkey, or else the people who run the app. */
function blockedFactorPage(frame: Frame, data: SecondFactorData): Html {
  const { texts, look } = frame;
  const { sessionPath, problem, hasPasskey } = data;
  const words = problem && problem.kind !== "factor-blocked" ? factorProblemWords(frame, problem) : undefined;
  const help = texts.resetAskSupport(look.name);
  const support = safeHref(look.links?.support ?? undefined);
  const title = texts.factorBlockedTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${texts.factorBlocked}${hasPasskey && ` ${texts.factorBlockedPasskey}`}</p>
    ${
      hasPasskey &&
      html`<div class="passkeys" data-passkeys hidden>${passkeyPart(frame, data)}</div>
        ${passkeyHelp(frame)}`
    }
    <p>${support === undefined ? help : html`<a href="${support}" target="_blank" rel="noopener">${help}</a>`}</p>
    ${pageEnd(frame, sessionPath)}`;
  return framePage(frame, { title, body, script: true, problem: problem !== undefined, sessionPath });
}

/** Sets TOTP up where it is required, or replaces an app that may be lost. */
export function setUpFactorPage(frame: Frame, data: Common & Omit<SetUpForm, "action"> & { replaces?: boolean }): Html {
  const { texts, look } = frame;
  const { sessionPath, replaces = false } = data;
  const words = data.problem && factorProblemWords(frame, data.problem);
  const title = replaces ? texts.replaceTitle : texts.setUpTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${replaces ? texts.replaceNext : texts.setUpWhy(look.name)}</p>
    ${setUpForm(frame, { ...data, action: `${sessionPath}/step/set-up` }, words)} ${pageEnd(frame, sessionPath)}`;
  const base = frame.assets.stepsStylesheet;
  return framePage(frame, { title, body, script: true, problem: words !== undefined, sessionPath, base });
}

/**
 * All is proven. `codes`: the new recovery codes, shown once; undefined if the page is opened
 * again. `left`: how many remain after one was used; undefined if none was. `mayReplace`: the app's
 * code was due, and the app may be lost.
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
  const base = frame.assets.stepsStylesheet;
  return framePage(frame, { title, body, script: true, sessionPath, base });
}
