/**
 * Markup that is safe to send. Only the `html` tag, which escapes values, and
 * `Html.dangerouslyCreate`, which reviewers can search for, create it.
 */
export class Html {
  // A #private field makes the type nominal: no object literal or string is assignable to Html.
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /**
   * Trusts `markup` as it is. For our own constants only, never for submitted, stored or configured
   * values.
   */
  static dangerouslyCreate(markup: string): Html {
    return new Html(markup);
  }

  toString(): string {
    return this.#markup;
  }
}

/**
 * A value in a template. Text is escaped, Html is not, arrays are joined; false, null and undefined
 * render nothing.
 */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * Builds markup from a template. Values are escaped for text and quoted attributes: html`<a
 * title="${title}">${label}</a>`. Never put a value into an unquoted attribute, a tag name, a
 * script or a style.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] ?? "";
  for (let index = 0; index < values.length; index += 1) markup += toMarkup(values[index]) + parts[index + 1];
  return Html.dangerouslyCreate(markup);
}

/** The markup as text. */
export function render(markup: Html): string {
  return markup.toString();
}

function toMarkup(value: HtmlValue): string {
  if (value === false || value === null || value === undefined) return "";
  if (value instanceof Html) return value.toString();
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  return value.map(toMarkup).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  // Old engines end an attribute at a backtick when markup is parsed twice.
  "`": "&#96;",
};

/**
 * Escapes text for element content and quoted attributes. NUL is invalid in HTML and becomes
 * U+FFFD.
 */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`\0]/g, (character) => entities[character] ?? "\u{FFFD}");
}
