import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import type { Frame } from "./frame.ts";
import { alertGlyph, passkeyGlyph } from "../../look/glyphs.ts";
import { hasMark, providerMark } from "../../look/marks.ts";
import type { PageMethods } from "./methods.ts";
import type { FieldName, ProblemWords } from "./problems.ts";

/** Ties a form to the browser that requested the page. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}" />`;
}

/** A form with hidden fields before its visible content. */
export function postForm(path: string, token: string, fields: Record<string, string>, content: HtmlValue): Html {
  return html`<form method="post" action="${path}">
    ${tokenField(token)}
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${content}
  </form>`;
}

/** One problem, several, or none. */
type Problems = ProblemWords | readonly ProblemWords[] | undefined;

function listOf(words: Problems): readonly ProblemWords[] {
  return words === undefined ? [] : [words].flat();
}

function summariesOf(words: Problems): string[] {
  return listOf(words).flatMap((problem) => ("summary" in problem ? [problem.summary] : []));
}

/**
 * What no field can say, first on the page and first in focus: `autofocus` works without the
 * browser code.
 */
export function problemSummary(words: Problems): Html | undefined {
  const summaries = summariesOf(words);
  if (summaries.length === 0) return undefined;
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    ${alertGlyph}
    <div>${summaries.map((summary) => html`<p>${summary}</p>`)}</div>
  </div>`;
}

/** Information before a button. */
export function caution(text: string): Html {
  return html`<p class="caution">${alertGlyph} <span>${text}</span></p>`;
}

export type FieldOptions = {
  name: FieldName;
  label: string;
  /**
   * "code": digits from a mail or an app; "letter-code": also letters; "url-part": of a URL;
   * "number": also with a point; "secret": pasted, and not shown.
   */
  type:
    | "email"
    | "password"
    | "secret"
    | "text"
    | "url"
    | "url-part"
    | "code"
    | "letter-code"
    | "number"
    | "date"
    | "tel";
  autocomplete: string;
  value?: string;
  /** A code of a few letters, shown large. */
  isShort?: boolean;
  /** Shown before a mistake is made. */
  hint?: string;
  /** A word after the label, such as "Optional". */
  mark?: string;
  /** A link in the label's line; follows the field in focus order. */
  link?: { href: string; label: string };
  /** For new passwords: counted while typing, and used by password managers that generate one. */
  minLength?: number;
  /** For new passwords: the URL where the browser code checks their strength. */
  checkPath?: string;
  /** Messages for the browser code, the same as the service's. */
  checks?: { missing: string; invalid?: string; unsupported?: string; short?: string };
};

const asText: readonly FieldOptions["type"][] = ["code", "letter-code", "url-part", "number"];

/**
 * A labelled field. The element for its message always exists, hidden while empty, so that the
 * browser code can fill it. The first field with a problem has the focus, unless a summary has it.
 */
export function field(frame: Frame, options: FieldOptions, words: Problems): Html {
  const { name, label, type, hint, mark, link, minLength, checkPath, checks } = options;
  const wrong = listOf(words).find((problem) => "field" in problem && problem.field === name);
  const isFirst = wrong !== undefined && wrong === listOf(words)[0] && summariesOf(words).length === 0;
  const isHidden = type === "password" || type === "secret";
  const describedBy = [hint !== undefined && `${name}-hint`, `${name}-problem`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${mark !== undefined && html`<span class="mark">${mark}</span>`}
    ${
      checkPath !== undefined &&
      html`<span class="mark" role="status" data-check="${checkPath}" data-fine="${frame.texts.strongEnough}"></span>`
    }
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <p class="beside" id="${name}-problem" ${!wrong && html`hidden`}>${wrong && "beside" in wrong && wrong.beside}</p>
    <div class="control">
      <input
        id="${name}"
        name="${name}"
        type="${asText.includes(type) ? "text" : isHidden ? "password" : type}"
        autocomplete="${options.autocomplete}"
        aria-describedby="${describedBy}"
        ${wrong && html`aria-invalid="true"`}
        ${isFirst && html`autofocus`}
        ${!isHidden && html`value="${options.value ?? ""}"`}
        ${(type === "email" || type === "url") && html`inputmode="${type}"`}
        ${type === "url-part" && html`inputmode="url"`}
        ${type === "code" && html`inputmode="numeric"`}
        ${type === "number" && html`inputmode="decimal"`}
        dir="${type === "text" ? "auto" : "ltr"}"
        ${type !== "text" && html`autocorrect="off" spellcheck="false"`}
        ${type !== "text" && html`autocapitalize="${type === "letter-code" ? "characters" : "none"}"`}
        ${options.isShort === true && html`class="short"`}
        ${checks && html`data-missing="${checks.missing}"`}
        ${checks?.invalid && html`data-invalid="${checks.invalid}"`}
        ${checks?.unsupported && html`data-unsupported="${checks.unsupported}"`}
        ${checks?.short && html`data-short="${checks.short}"`}
        ${minLength !== undefined && html`minlength="${minLength}" passwordrules="minlength: ${minLength};"`}
      />
      ${type === "password" && showButton(frame)}
    </div>
    ${link !== undefined && html`<a class="beyond" href="${link.href}">${link.label}</a>`}
  </div>`;
}

/** Its name must not contain the field's label, or "Password" would name two controls. */
function showButton({ texts }: Frame): Html {
  return html`<button
    type="button"
    class="show"
    hidden
    aria-controls="password"
    aria-label="${texts.showCharacters}"
    data-show="${texts.show}"
    data-show-label="${texts.showCharacters}"
    data-hide="${texts.hide}"
    data-hide-label="${texts.hideCharacters}"
  >
    ${texts.show}
  </button>`;
}

export type ButtonOptions = {
  label: string;
  /** The text while it is working. */
  busy: string;
  /** "second": of the same kind as the main one, but not the first choice. */
  look: "main" | "second" | "plain";
  before?: Html;
  /** The "Last used" mark. A description, not part of the button's accessible name. */
  usedLast?: string | undefined;
  /** The id of the form, for a button outside of it. */
  form?: string;
  /** For a pointer, where the label is hidden. */
  title?: string | undefined;
};

export function submitButton({ label, busy, look, before, usedLast, form, title }: ButtonOptions): Html {
  const button = html`<button
    class="button ${look === "second" ? "main second" : look}"
    data-busy="${busy}"
    ${usedLast !== undefined && html`aria-describedby="used-last"`}
    ${form !== undefined && html`form="${form}"`}
    ${title !== undefined && html`title="${title}"`}
  >
    ${before}<span>${label}</span>
  </button>`;
  if (usedLast === undefined) return button;
  return html`<div class="marked">${button}<small id="used-last" aria-hidden="true">${usedLast}</small></div>`;
}

/** For a new organization. */
export function organizationNameForm(frame: Frame, isRefused: boolean): Html {
  const { organizationName: label, organizationNameRefused: beside, organizationCreate, saving } = frame.texts;
  const wrong = isRefused ? ({ field: "name", beside } as const) : undefined;
  return html`${field(frame, { name: "name", label, type: "text", autocomplete: "organization" }, wrong)}
  ${submitButton({ label: organizationCreate, busy: saving, look: "main" })}`;
}

export function passkeyButton(label: string, busy: string, form?: string): Html {
  return submitButton({ label, busy, look: "main", before: passkeyGlyph, form });
}

/**
 * Where the browser code shows messages. In the page from the start: screen readers would miss the
 * first message of a new element.
 */
export const notice: Html = html`<div class="notice" role="status"></div>`;

export function divider(text: string): Html {
  return html`<p class="divider"><span>${text}</span></p>`;
}

type Provider = PageMethods["oauth"][number];

/** Of more, those with a mark of their own are a row of marks. */
const maxProvidersInAColumn = 3;

/**
 * "Continue with Google" and so on, one form each. `usedLast`: the last provider used in this
 * browser, which keeps its words.
 */
export function providerForms(
  { texts }: Frame,
  data: { sessionPath: string; token: string; methods: PageMethods; usedLast?: string | undefined },
): HtmlValue {
  const { sessionPath, token, methods, usedLast } = data;
  const { oauth } = methods;
  if (oauth.length === 0) return undefined;
  const form = ({ name, displayName }: Provider, isMark = false): Html =>
    html`<form method="post" action="${sessionPath}/oauth/${encodeURIComponent(name)}">
      ${tokenField(token)}
      ${submitButton({
        label: texts.continueWith(displayName),
        busy: texts.opening(displayName),
        look: "plain",
        before: providerMark(name),
        usedLast: usedLast === `oauth.${name}` ? texts.usedLast : undefined,
        title: isMark ? displayName : undefined,
      })}
    </form>`;
  const marks =
    oauth.length > maxProvidersInAColumn
      ? oauth.filter(({ name }) => hasMark(name) && usedLast !== `oauth.${name}`)
      : [];
  const named = oauth.filter((each) => !marks.includes(each));
  return html`<div class="providers">
    ${named.map((each) => form(each))}
    ${marks.length > 0 && html`<div class="icons">${marks.map((each) => form(each, true))}</div>`}
  </div>`;
}

/** The link between signing in and signing up. Below the heading, where every screen shows it. */
export function counterpart(lead: string, href: string, label: string): Html {
  return html`<p class="hint other">${lead} <a href="${href}">${label}</a></p>`;
}

/** The end of a page: another way to continue, and the way out. */
export function pageEnd(
  { texts }: Frame,
  sessionPath: string,
  other?: { lead: string; href: string; label: string },
): Html {
  return html`<div class="end">
    ${other !== undefined && html`<p>${other.lead} <a href="${other.href}">${other.label}</a></p>`}
    <a class="quiet" href="${sessionPath}/cancel">${texts.cancel}</a>
  </div>`;
}
