import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import type { Frame } from "./frame.ts";
import { alertGlyph, passkeyGlyph } from "../../look/glyphs.ts";
import { providerMark } from "../../look/marks.ts";
import type { PageMethods } from "./methods.ts";
import type { FieldName, ProblemWords } from "./problems.ts";

/** Ties a form to the browser that requested the page. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}" />`;
}

/** One problem, several, or none. */
type Problems = ProblemWords | readonly ProblemWords[] | undefined;

function listOf(words: Problems): readonly ProblemWords[] {
  return words === undefined ? [] : [words].flat();
}

/** The errors, first on the page and first in focus: `autofocus` works without the browser code. */
export function problemSummary(words: Problems): Html | undefined {
  const all = listOf(words);
  if (all.length === 0) return undefined;
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    ${alertGlyph}
    <div>
      ${all.map(({ summary, field }) => html`<p>${field === undefined ? summary : html`<a href="#${field}">${summary}</a>`}</p>`)}
    </div>
  </div>`;
}

/** Information before a button. */
export function caution(text: string): Html {
  return html`<p class="caution">${alertGlyph} <span>${text}</span></p>`;
}

export type FieldOptions = {
  name: FieldName;
  label: string;
  /** "code": digits from a mail or an app. "letter-code": also letters. */
  type: "email" | "password" | "text" | "url" | "code" | "letter-code";
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
  checks?: { missing: FieldProblem; invalid?: FieldProblem; unsupported?: FieldProblem; short?: FieldProblem };
};

type FieldProblem = Pick<Required<ProblemWords>, "summary" | "beside">;

/** Both in one attribute, as two lines. */
function linesOf({ summary, beside }: FieldProblem): string {
  return `${summary}\n${beside}`;
}

/**
 * A labelled field. The element for its message always exists, hidden while empty, so that the
 * browser code can fill it.
 */
export function field(frame: Frame, options: FieldOptions, words: Problems): Html {
  const { name, label, type, hint, mark, link, minLength, checkPath, checks } = options;
  const wrong = listOf(words).find((problem) => problem.field === name);
  const describedBy = [hint !== undefined && `${name}-hint`, `${name}-problem`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${mark !== undefined && html`<span class="mark">${mark}</span>`}
    ${
      checkPath !== undefined &&
      html`<span class="mark" role="status" data-check="${checkPath}" data-fine="${frame.texts.strongEnough}"></span>`
    }
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <p class="beside" id="${name}-problem" ${!wrong && html`hidden`}>${wrong && (wrong.beside ?? wrong.summary)}</p>
    <div class="control">
      <input
        id="${name}"
        name="${name}"
        type="${type === "code" || type === "letter-code" ? "text" : type}"
        autocomplete="${options.autocomplete}"
        aria-describedby="${describedBy}"
        ${wrong && html`aria-invalid="true"`}
        ${type !== "password" && html`value="${options.value ?? ""}"`}
        ${(type === "email" || type === "url") && html`inputmode="${type}"`}
        ${type === "code" && html`inputmode="numeric"`}
        dir="${type === "text" ? "auto" : "ltr"}"
        ${type !== "text" && html`autocorrect="off" spellcheck="false"`}
        ${type !== "text" && html`autocapitalize="${type === "letter-code" ? "characters" : "none"}"`}
        ${options.isShort === true && html`class="short"`}
        ${checks && html`data-missing="${linesOf(checks.missing)}"`}
        ${checks?.invalid && html`data-invalid="${linesOf(checks.invalid)}"`}
        ${checks?.unsupported && html`data-unsupported="${linesOf(checks.unsupported)}"`}
        ${checks?.short && html`data-short="${linesOf(checks.short)}"`}
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
  /** The text for screen readers, if the label alone is not enough. */
  spoken?: string | undefined;
  /** The "Last used" mark. A description, not part of the button's accessible name. */
  usedLast?: string | undefined;
  /** The id of the form, for a button outside of it. */
  form?: string;
};

export function submitButton({ label, busy, look, before, spoken, usedLast, form }: ButtonOptions): Html {
  const button = html`<button
    class="button ${look === "second" ? "main second" : look}"
    data-busy="${busy}"
    ${spoken !== undefined && html`aria-label="${spoken}"`}
    ${usedLast !== undefined && html`aria-describedby="used-last"`}
    ${form !== undefined && html`form="${form}"`}
  >
    ${before}<span>${label}</span>
  </button>`;
  if (usedLast === undefined) return button;
  return html`<div class="marked">${button}<small id="used-last" aria-hidden="true">${usedLast}</small></div>`;
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

/** More are shown in two columns, with short names. */
const maxProvidersInAColumn = 3;

/**
 * "Continue with Google" and so on, one form each. `usedLast`: the last provider used in this
 * browser.
 */
export function providerForms(
  { texts }: Frame,
  data: { sessionPath: string; token: string; methods: PageMethods; usedLast?: string | undefined },
): HtmlValue {
  const { sessionPath, token, methods, usedLast } = data;
  const many = methods.oauth.length > maxProvidersInAColumn;
  if (methods.oauth.length === 0) return undefined;
  const forms = methods.oauth.map(({ name, displayName }) => {
    const spoken = texts.continueWith(displayName);
    return html`<form method="post" action="${sessionPath}/oauth/${encodeURIComponent(name)}">
      ${tokenField(token)}
      ${submitButton({
        label: many ? displayName : spoken,
        busy: texts.opening(displayName),
        look: "plain",
        before: providerMark(name),
        usedLast: usedLast === `oauth.${name}` ? texts.usedLast : undefined,
        spoken: many ? spoken : undefined,
      })}
    </form>`;
  });
  return html`<div class="providers${many && " many"}">${forms}</div>`;
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
