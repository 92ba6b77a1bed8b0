import { html, type Html } from "../../lib/html.ts";
import { dayOf, ago } from "../../look/dates.ts";
import {
  factorProblemWords,
  recoveryCodes,
  setUpForm,
  type FactorProblem,
  type SetUpForm,
} from "../parts/factor-parts.ts";
import { problemSummary } from "../parts/form-parts.ts";
import type { Frame } from "../parts/frame.ts";
import { codesGlyph, phoneGlyph } from "../../look/glyphs.ts";
import { confirmPage } from "./confirm-pages.ts";
import { browserTitle, deviceGlyph, type AccountLogin } from "./logins.ts";
import { accountFrame, accountPath, actionForm, actionLink, backLink, part, row, type AccountPlace } from "./parts.ts";

/** A browser in which the second step is skipped. `expiresAt`: epoch milliseconds. */
export type AccountTrustedBrowser = Pick<AccountLogin, "id" | "browser" | "device"> & { expiresAt: number };

/** A second factor as its owner sees it. Instants are epoch milliseconds. */
export type AccountFactor =
  | { isSetUp: false }
  | {
      isSetUp: true;
      setUpAt: number | null;
      lastUsedAt: number | null;
      codesLeft: number;
      /** Too many wrong codes were typed. */
      isBlocked: boolean;
      trusted: AccountTrustedBrowser[];
    };

/** With fewer, the page suggests new ones. */
const enoughCodes = 3;

type SetUpFactor = Extract<AccountFactor, { isSetUp: true }>;
type Place = AccountPlace & { now: number };

export function accountFactor(frame: Frame, data: Place & { factor: AccountFactor | undefined }): Html | undefined {
  const { texts } = frame;
  const { appId, factor } = data;
  if (factor === undefined) return undefined;
  if (!factor.isSetUp)
    return part(
      "second-factor",
      texts.secondStep,
      html`<p>${texts.secondStepNext}</p>`,
      actionLink(accountPath(appId, "/factor"), texts.setUp, texts.setUpTitle),
    );
  const list = html`<ul class="rows" role="list">
    ${appRow(frame, data, factor)} ${codesRow(frame, data, factor)}
    ${factor.trusted.map((browser) => trustedRow(frame, data, browser))}
  </ul>`;
  return part("second-factor", texts.secondStep, list);
}

function appRow(frame: Frame, { appId, now }: Place, { setUpAt, lastUsedAt, isBlocked }: SetUpFactor): Html {
  const { texts } = frame;
  const used = lastUsedAt === null ? texts.neverUsed : texts.lastUsed(ago(lastUsedAt, now, frame));
  return row({
    glyph: phoneGlyph,
    title: texts.authenticatorApp,
    facts: [
      [...(setUpAt === null ? [] : [texts.addedOn(dayOf(setUpAt, frame))]), used],
      ...(isBlocked ? [[texts.codesBlocked]] : []),
    ],
    acts: [
      actionLink(accountPath(appId, "/factor"), texts.replace, texts.replaceTitle),
      actionLink(accountPath(appId, "/remove-factor"), texts.remove, texts.removeNamed(texts.authenticatorApp)),
    ],
  });
}

function codesRow(frame: Frame, { appId }: Place, { codesLeft }: SetUpFactor): Html {
  const { texts } = frame;
  return row({
    glyph: codesGlyph,
    title: texts.recoveryCodes,
    facts: [[texts.recoveryCodesLeft(codesLeft)], ...(codesLeft < enoughCodes ? [[texts.codesRunOut]] : [])],
    acts: actionLink(accountPath(appId, "/recovery-codes"), texts.newCodes),
  });
}

function trustedRow(frame: Frame, place: Place, browser: AccountTrustedBrowser): Html {
  const { texts } = frame;
  const title = browserTitle(frame, browser);
  return row({
    glyph: deviceGlyph(browser),
    title,
    facts: [[texts.trustedUntil(dayOf(browser.expiresAt, frame))]],
    acts: actionForm(place, {
      page: `/trusted-browsers/${encodeURIComponent(browser.id)}/end`,
      label: texts.askAgain,
      busy: texts.saving,
      look: "small",
      name: texts.askAgainNamed(title),
    }),
  });
}

/** Sets up an authenticator app, or replaces the existing one. */
export function setUpFactorPage(
  frame: Frame,
  data: AccountPlace & Omit<SetUpForm, "action"> & { replaces: boolean; problem?: FactorProblem | undefined },
): Html {
  const { texts } = frame;
  const { appId, replaces } = data;
  const words = data.problem && factorProblemWords(frame, data.problem);
  const title = replaces ? texts.replaceTitle : texts.setUpTitle;
  const body = html`<h1>${title}</h1>
    ${problemSummary(words)}
    <p>${replaces ? texts.replaceNext : texts.setUpNext}</p>
    ${setUpForm(frame, { ...data, action: accountPath(appId, "/factor") }, words)} ${backLink(frame, appId)}`;
  const base = frame.assets.stepsStylesheet;
  return accountFrame(frame, { title, body, problem: words !== undefined, base });
}

/** Shown once. `notice`: for the first page of the account afterwards. */
export function newCodesPage(
  frame: Frame,
  { appId, codes, notice }: { appId: string; codes: string[]; notice?: string | undefined },
): Html {
  const { texts } = frame;
  const title = texts.codesTitle;
  const next = accountPath(appId) + (notice === undefined ? "" : `&notice=${notice}`);
  const body = html`<h1>${title}</h1>
    ${recoveryCodes(frame, codes)}
    <a class="button main" href="${next}">${texts.codesKept}</a>`;
  return accountFrame(frame, { title, body, base: frame.assets.stepsStylesheet });
}

/** Asks before printed codes stop working. */
export function renewCodesPage(frame: Frame, data: AccountPlace): Html {
  const { texts } = frame;
  return confirmPage(frame, data, {
    title: texts.newCodesTitle,
    content: html`<p>${texts.newCodesNext}</p>`,
    act: actionForm(data, { page: "/recovery-codes", label: texts.newCodes, busy: texts.continuing, look: "main" }),
    back: texts.cancel,
  });
}

/** `isRequired`: it cannot be removed. */
export function removeFactorPage(frame: Frame, data: AccountPlace & { isRequired: boolean }): Html {
  const { texts, look } = frame;
  const { isRequired } = data;
  return confirmPage(frame, data, {
    title: texts.removeFactorTitle,
    summary: problemSummary(isRequired ? { summary: texts.factorRequired(look.name) } : undefined),
    content: !isRequired && html`<p>${texts.removeFactorNext}</p>`,
    act:
      !isRequired &&
      actionForm(data, { page: "/remove-factor", label: texts.remove, busy: texts.removing, look: "danger" }),
    back: isRequired ? texts.backToAccount : texts.cancel,
  });
}
