import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";

/** Text that somebody else chose: isolated, and with invisible characters shown as escapes. */
export function shown(text: string): Html {
  return html`<bdi>${escapeUnseen(text)}</bdi>`;
}

/** An instant, in UTC as in every command; the script shows how long ago it was. */
export function instant(at: number | string): Html {
  const iso = typeof at === "number" ? new Date(at).toISOString() : at;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")}</time>`;
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

export type Column<Item> = {
  heading: string;
  cell: (item: Item) => HtmlValue;
  isNumber?: boolean;
};

/** A table that becomes a list of cards on a phone. `none`: the text if it has no rows. */
export function table<Item>(caption: string, items: readonly Item[], columns: Column<Item>[], none: string): Html {
  if (items.length === 0) return html`<p class="none">${none}</p>`;
  return html`<div class="scroll">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ heading, isNumber }) => html`<th scope="col" class="${isNumber === true ? "number" : ""}">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map(
          (item) =>
            html`<tr>
              ${columns.map(({ heading, cell, isNumber }) => html`<td data-heading="${heading}" class="${isNumber === true ? "number" : ""}">${cell(item)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A state in a word; colour only repeats it. */
export function state(word: string, kind: "good" | "bad" | "quiet" = "quiet"): Html {
  return html`<span class="state ${kind}">${word}</span>`;
}

/** A part of a page. */
export function part(heading: string, content: HtmlValue, beside?: Html): Html {
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
