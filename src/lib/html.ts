/**
 * Markup that is safe to send. The only ways to make one are the `html` tag, which escapes whatever is put into it,
 * and `Html.dangerouslyCreate`, which is easy to find in a review.
 */
export class Html {
  // A #private field makes the type nominal: no object literal and no string passes for an Html.
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /** Trusts `markup` as it is. For constants of our own only, never for anything that was sent, stored or configured. */
  static dangerouslyCreate(markup: string): Html {
    return new Html(markup);
  }

  toString(): string {
    return this.#markup;
  }
}

/** What may stand in a template: text is escaped, Html is not, arrays are joined; false, null and undefined leave nothing. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/**
 * Builds markup from a template. Every value is escaped for text and for quoted attributes, so attributes must be quoted:
 * html`<a title="${title}">${label}</a>`. Never put a value into an unquoted attribute, a tag name, a script or a style.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] ?? "";
  for (let index = 0; index < values.length; index += 1) markup += toMarkup(values[index]) + parts[index + 1];
  return Html.dangerouslyCreate(markup);
}

/** The text of a page as it goes over the wire. */
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
  // Old engines end an attribute at a backtick when markup is parsed a second time.
  "`": "&#96;",
};

const special = /[&<>"'`\0]/;

/** Escapes text for element content and quoted attributes. NUL, which no document may hold, becomes U+FFFD. */
function escapeHtml(text: string): string {
  // Most of a page's hundred values hold nothing to escape, and are told by a look.
  if (!special.test(text)) return text;
  return text.replace(/[&<>"'`\0]/g, (character) => entities[character] ?? "\u{FFFD}");
}
