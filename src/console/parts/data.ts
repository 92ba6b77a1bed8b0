import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";

/** Text that somebody else chose: isolated, and with invisible characters shown as escapes. */
export function shown(text: string): Html {
  return html`<bdi>${escapeUnseen(text)}</bdi>`;
}

const dayAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** An instant, in UTC; the script shows how long ago it was, and the browser's time on hover. */
export function instant(at: number | string): Html {
  const date = new Date(at);
  const text = dayAndTime.format(date).replace(",", "");
  return html`<time datetime="${date.toISOString()}" title="${text} UTC">${text}</time>`;
}

export function instantOrNever(at: number | string | null): HtmlValue {
  return at === null ? "never" : instant(at);
}

/** A sentence of the service: its ISO times become times as people read them. */
export function withInstants(sentence: string): Html {
  const parts = escapeUnseen(sentence).split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/u);
  return html`${parts.map((text, index) => (index % 2 === 0 ? text : instant(text)))}`;
}

const startOfId = 8;
const endOfId = 6;

/** An id whose middle is copied and not seen. `copies`: with a button for it. */
export function shortId(id: string, { copies = true } = {}): Html {
  if (id.length <= startOfId + endOfId + 3) return html`<code>${escapeUnseen(id)}</code>`;
  const [start, middle, end] = [id.slice(0, startOfId), id.slice(startOfId, -endOfId), id.slice(-endOfId)];
  const code = html`<code title="${id}">${start}<span class="middle">${middle}</span>${end}</code>`;
  if (!copies) return code;
  return html`<span class="id"
    >${code}<button type="button" class="copy icon" data-copy hidden>
      <span class="unseen">Copy ${id}</span>
    </button></span
  >`;
}

// Made once: `toLocaleString` costs fifty times as much.
const inThousands = new Intl.NumberFormat("en-GB");

/** A number with thin spaces between thousands. */
export function amount(value: number): string {
  return inThousands.format(value).replaceAll(",", "\u202F");
}

/** Names and values, in a column. Undefined values are omitted. */
export function facts(pairs: [name: string, value: HtmlValue][]): Html {
  return html`<dl class="facts">
    ${pairs
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;
}

/** A number at the head of a page, in `dl.numbers`. `words` and `line`: below it. */
export function tile(name: string, value: HtmlValue, words?: HtmlValue, line?: HtmlValue): Html {
  const number = typeof value === "number" ? amount(value) : value;
  return html`<div>
    <dt>${name}</dt>
    <dd>${number}${words !== undefined && html`<small>${words}</small>`}${line}</dd>
  </div>`;
}

/** A state in a word; colour only repeats it. */
export function state(word: string, kind: "good" | "warn" | "bad" | "quiet" = "quiet"): Html {
  return html`<span class="state ${kind}">${word}</span>`;
}

/** A part of a page. */
export function part(heading: string, content: HtmlValue, beside?: HtmlValue): Html {
  return html`<section class="part">
    <div class="heading">
      <h2>${heading}</h2>
      ${beside}
    </div>
    ${content}
  </section>`;
}

/** A problem with the entered value, above the results. */
export function problem(text: string): Html {
  return html`<p class="problem" role="alert">${text}</p>`;
}
