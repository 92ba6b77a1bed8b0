import { maxPersonalTokens, maxTokenName, type PersonalTokenProblem } from "../../credentials/personal/rules.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { ago, dayOf, momentOf } from "../../look/dates.ts";
import { keyGlyph } from "../../look/glyphs.ts";
import { caution, field, problemSummary, submitButton, tokenField } from "../parts/form-parts.ts";
import type { Frame } from "../parts/frame.ts";
import { scopeWords } from "../parts/grants.ts";
import type { ProblemWords } from "../parts/problems.ts";
import { accountFrame, accountPath, actionForm, actionLink, backLink, part, row, type AccountPlace } from "./parts.ts";

/** A personal access token as its owner sees it. Instants are epoch milliseconds. */
export type AccountToken = {
  id: string;
  name: string;
  /** What it allows, in words. */
  allows: string[];
  /** The name of the API that it is for; undefined: the application. */
  resource: string | undefined;
  createdAt: number;
  expiresAt: number;
  lastUsedAt: number | null;
};

/** `isOn`: whether tokens work. `hasChoice`: whether there is anything that a new one could do. */
export type AccountTokens = { isOn: boolean; hasChoice: boolean; live: AccountToken[] };

export function hasTokens(tokens: AccountTokens | undefined): boolean {
  return tokens !== undefined && tokens.live.length > 0;
}

export function accountTokens(
  frame: Frame,
  data: AccountPlace & { now: number; user: { emailVerified: boolean }; tokens: AccountTokens | undefined },
): Html | undefined {
  const { tokens } = data;
  if (tokens === undefined) return undefined;
  const { texts, look } = frame;
  const { isOn, hasChoice, live } = tokens;
  const { emailVerified } = data.user;
  const missing = emailVerified ? !hasChoice && texts.tokenAllowsNothing(look.name) : texts.tokenNeedsAddress;
  const list = html`<ul class="rows" role="list">
    ${live.map((token) => tokenRow(frame, data, token))}
  </ul>`;
  return part(
    "tokens",
    texts.tokens,
    html`<p class="hint">${isOn ? texts.tokensNext(look.name) : texts.tokensOff(look.name)}</p>
      ${isOn && missing !== false && html`<p class="hint">${missing}</p>`} ${live.length > 0 && list}`,
    isOn && missing === false ? actionLink(accountPath(data.appId, "/new-token"), texts.newToken) : undefined,
  );
}

function tokenRow(frame: Frame, data: AccountPlace & { now: number }, token: AccountToken): Html {
  const { texts } = frame;
  const { name, allows, resource, createdAt, expiresAt, lastUsedAt } = token;
  const used = lastUsedAt === null ? texts.neverUsed : texts.lastUsed(ago(lastUsedAt, data.now, frame));
  return row({
    glyph: keyGlyph,
    title: name,
    badge: resource,
    facts: [
      ...(allows.length === 0 ? [] : [allows]),
      [texts.addedOn(dayOf(createdAt, frame)), used],
      // A token that lasts to the end of a day ends with its last millisecond.
      [texts.tokenEnds(momentOf(expiresAt - 1, frame))],
    ],
    acts: actionForm(data, {
      page: `/tokens/${encodeURIComponent(token.id)}/end`,
      label: texts.endToken,
      busy: texts.endingToken,
      look: "small bad",
      name: texts.endTokenNamed(name),
    }),
  });
}

export function scopesInWords(frame: Frame, scopes: readonly string[]): string[] {
  return scopes.map((scope) => scopeWords(frame, scope, undefined));
}

/** `name`: of the field. */
export type TokenChoice = { name: string; label: string; isChosen: boolean };

export type TokenFormData = AccountPlace & {
  /** The API that it is for, and what else it could be for. */
  resource: { identifier: string; name: string } | undefined;
  others: { name: string; identifier: string | undefined }[];
  scopes: TokenChoice[];
  hosts: TokenChoice[];
  name: string;
  until: string;
  /** The last day that can be chosen, and the zone in which days end. */
  lastDay: string;
  timeZone: string;
  problem?: PersonalTokenProblem | undefined;
};

/** The form for a new token. */
export function tokenFormPage(frame: Frame, data: TokenFormData): Html {
  const { texts, look } = frame;
  const { appId, resource, others, scopes, hosts, timeZone, problem } = data;
  const last = dayOf(Date.parse(data.lastDay), { lang: frame.lang });
  const words = problem && problemWords(frame, problem, last);
  const body = html`<h1>${texts.newToken}</h1>
    ${problemSummary(words)}
    <p>${resource === undefined ? texts.tokensNext(look.name) : texts.consentAt(resource.name)}</p>
    ${others.length > 0 && otherLinks(frame, data)}
    <form method="post" action="${accountPath(appId, "/new-token")}" novalidate>
      ${tokenField(data.token)} ${resource && html`<input type="hidden" name="api" value="${resource.identifier}" />`}
      ${field(
        frame,
        {
          name: "name",
          label: texts.name,
          type: "text",
          autocomplete: "off",
          value: data.name,
          hint: texts.tokenNameHint,
        },
        words,
      )}
      ${scopes.length > 0 && choices(texts.tokenScopes, scopes)} ${hosts.length > 0 && choices(texts.tokenHosts, hosts)}
      ${field(
        frame,
        {
          name: "until",
          label: texts.tokenLastDay,
          type: "date",
          autocomplete: "off",
          value: data.until,
          hint: texts.tokenLastDayHint(last, timeZone),
        },
        words,
      )}
      ${submitButton({ label: texts.makeToken, busy: texts.makingToken, look: "main" })}
    </form>
    ${backLink(frame, appId)}`;
  const base = frame.assets.organizationStylesheet;
  const stylesheet = frame.assets.fieldsStylesheet;
  return accountFrame(frame, { title: texts.newToken, body, problem: words !== undefined, base, stylesheet });
}

function otherLinks({ texts }: Frame, { appId, others }: TokenFormData): Html {
  const pathOf = (identifier: string | undefined): string => {
    const path = accountPath(appId, "/new-token");
    return identifier === undefined ? path : `${path}&api=${encodeURIComponent(identifier)}`;
  };
  return html`<p class="acts">
    ${others.map(({ name, identifier }) => actionLink(pathOf(identifier), texts.tokenFor(name)))}
  </p>`;
}

function choices(legend: string, options: readonly TokenChoice[]): HtmlValue {
  return html`<fieldset class="options">
    <legend>${legend}</legend>
    ${options.map(
      ({ name, label, isChosen }) =>
        html`<label
          ><input type="checkbox" name="${name}" value="on" ${isChosen && html`checked`} /> <bdi>${label}</bdi></label
        >`,
    )}
  </fieldset>`;
}

function problemWords({ texts }: Frame, problem: PersonalTokenProblem, lastDay: string): ProblemWords {
  switch (problem) {
    case "name-missing":
      return { field: "name", beside: texts.labelMissing };
    case "name-long":
      return { field: "name", beside: texts.nameTooLong(maxTokenName) };
    case "day-missing":
      return { field: "until", beside: texts.tokenDayMissing };
    case "day-late":
      return { field: "until", beside: texts.tokenDayLate(lastDay) };
    case "nothing-chosen":
      return { summary: texts.tokenNothingChosen };
    case "full":
      return { summary: texts.tokensFull(maxPersonalTokens) };
  }
}

/** Shown once. */
export function newTokenPage(frame: Frame, { appId, token }: { appId: string; token: string }): Html {
  const { texts } = frame;
  const title = texts.tokenMadeTitle;
  const body = html`<h1>${title}</h1>
    ${caution(texts.tokenMadeNext)}
    <p class="key" dir="ltr">${token}</p>
    <a class="button main" href="${accountPath(appId)}">${texts.tokenKept}</a>`;
  return accountFrame(frame, { title, body, base: frame.assets.stepsStylesheet });
}

/** Beside an act that leaves tokens alone unless its owner wants them ended. */
export function endTokensToo({ texts }: Frame): Html {
  return html`<label class="check"
    ><input type="checkbox" name="tokens" value="on" checked /> ${texts.endTokensToo}</label
  >`;
}
