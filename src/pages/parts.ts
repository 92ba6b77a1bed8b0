import { html, type Html, type HtmlValue } from "../lib/html.ts";
import type { Frame } from "./frame.ts";
import { alertGlyph, passkeyGlyph } from "./glyphs.ts";
import { providerMark } from "./marks.ts";
import type { PageMethods } from "./methods.ts";
import type { FieldName, ProblemWords } from "./problems.ts";

/** Ties a form to the browser that the page was made for. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}" />`;
}

/** What went wrong, first on the page and first in focus: `autofocus` works without the browser code. */
export function problemSummary(words: ProblemWords | undefined): Html | undefined {
  if (words === undefined) return undefined;
  const { summary, field } = words;
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    ${alertGlyph}
    <p>${field === undefined ? summary : html`<a href="#${field}">${summary}</a>`}</p>
  </div>`;
}

export type FieldOptions = {
  name: FieldName;
  label: string;
  /** "code": the digits of a mail. */
  type: "email" | "password" | "text" | "url" | "code";
  autocomplete: string;
  value?: string;
  /** Said before a mistake is made. */
  hint?: string;
  /** A word behind the label, such as "Optional". */
  mark?: string;
  /** A link in the line of the label; reached after the field. */
  link?: { href: string; label: string };
  /** For password managers that can make one. */
  minLength?: number;
};

/** A labelled field. The words beside it are always there, hidden while empty, so that the browser code can fill them too. */
export function field(frame: Frame, options: FieldOptions, words: ProblemWords | undefined): Html {
  const { name, label, type, hint, mark, link, minLength } = options;
  const wrong = words?.field === name;
  const describedBy = [hint !== undefined && `${name}-hint`, `${name}-problem`].filter(Boolean).join(" ");
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${mark !== undefined && html`<span class="mark">${mark}</span>`}
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <p class="beside" id="${name}-problem" ${!wrong && html`hidden`}>${wrong && (words.beside ?? words.summary)}</p>
    <div class="control">
      <input
        id="${name}"
        name="${name}"
        type="${type === "code" ? "text" : type}"
        autocomplete="${options.autocomplete}"
        aria-describedby="${describedBy}"
        ${wrong && html`aria-invalid="true"`}
        ${type !== "password" && html`value="${options.value ?? ""}"`}
        ${(type === "email" || type === "url") && html`inputmode="${type}"`}
        ${type === "code" && html`inputmode="numeric"`}
        dir="${type === "text" ? "auto" : "ltr"}"
        ${type !== "text" && html`autocapitalize="none" autocorrect="off" spellcheck="false"`}
        ${minLength !== undefined && html`minlength="${minLength}" passwordrules="minlength: ${minLength};"`}
      />
      ${type === "password" && showButton(frame)}
    </div>
    ${link !== undefined && html`<a class="beyond" href="${link.href}">${link.label}</a>`}
  </div>`;
}

/** Its name must not hold the label of the field, or "Password" would name two controls. */
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
  /** What it says while it works. */
  busy: string;
  look: "main" | "plain";
  before?: Html;
  /** Id of the form, for a button that stands outside it. */
  form?: string;
};

export function submitButton({ label, busy, look, before, form }: ButtonOptions): Html {
  return html`<button class="button ${look}" data-busy="${busy}" ${form !== undefined && html`form="${form}"`}>
    ${before}<span>${label}</span>
  </button>`;
}

export function passkeyButton(label: string, busy: string, form?: string): Html {
  return submitButton({ label, busy, look: "main", before: passkeyGlyph, form });
}

/** Where the browser code speaks: in the page from the start, or screen readers would miss the first words. */
export const notice: Html = html`<div class="notice" role="status"></div>`;

export function divider(text: string): Html {
  return html`<p class="divider"><span>${text}</span></p>`;
}

/** "Continue with Google" and the like: equal buttons, one form each. */
export function providerForms(
  { texts }: Frame,
  { sessionPath, token, methods }: { sessionPath: string; token: string; methods: PageMethods },
): HtmlValue {
  return methods.oauth.map(
    ({ name, displayName }) =>
      html`<form method="post" action="${sessionPath}/oauth/${encodeURIComponent(name)}">
        ${tokenField(token)}
        ${submitButton({
          label: texts.continueWith(displayName),
          busy: texts.opening(displayName),
          look: "plain",
          before: providerMark(name),
        })}
      </form>`,
  );
}

/** The last lines of a page: the way to its sister, and the way out. */
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
