/** The one table of the console: a row is one line, and a card on a phone. */
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import type { Visit } from "../route.ts";
import { pageWith } from "./page-address.ts";

export type Column<Item> = {
  heading: string;
  cell: (item: Item) => HtmlValue;
  isNumber?: boolean;
  /** A width that suits what it holds. Others share what is left. */
  fit?: "time" | "state" | "id" | "acts" | "pick";
  /** Leaves when it gets narrow: 1 first, then 2, then 3. Others stay. */
  leaves?: 1 | 2 | 3;
};

/** What a row shows below it once it is opened, by `?open=ID`. */
export type Details<Item> = {
  visit: Visit;
  idOf: (item: Item) => string;
  of: (item: Item) => HtmlValue;
};

/** `none` is said if it has no rows. */
export function table<Item>(
  caption: string,
  items: readonly Item[],
  columns: readonly Column<Item>[],
  none: string,
  details?: Details<Item>,
): Html {
  if (items.length === 0) return html`<p class="none">${none}</p>`;
  const looks = columns.map(lookOf);
  return html`<div class="list">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${details && html`<th scope="col" class="toggle"><span class="unseen">Details</span></th>`}
          ${columns.map(({ heading, fit }, at) => html`<th scope="col" class="${looks[at]}">${fit === "acts" || fit === "pick" ? html`<span class="unseen">${heading}</span>` : heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => {
          const cells = columns.map(
            ({ heading, cell }, at) =>
              html`<td class="${looks[at]}" data-heading="${heading}"><div class="cell">${cell(item)}</div></td>`,
          );
          // Columns that leave would make one more of nothing.
          const width = 1 + columns.filter(({ leaves }) => leaves === undefined).length;
          return details
            ? rowWithDetails(item, { cells, width }, details)
            : html`<tr>
                ${cells}
              </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

function lookOf<Item>({ isNumber, fit, leaves }: Column<Item>): string {
  return [isNumber && "number", fit, leaves !== undefined && `leaves-${leaves}`].filter(Boolean).join(" ");
}

function rowWithDetails<Item>(
  item: Item,
  { cells, width }: { cells: Html[]; width: number },
  { visit, idOf, of }: Details<Item>,
): Html {
  const id = idOf(item);
  const isOpen = visit.request.query().get("open") === id;
  const toggle = html`<a
    href="${isOpen ? pageWith(visit, { open: undefined }) : `${pageWith(visit, { open: id })}#open`}"
    data-open="${id}"
    aria-expanded="${isOpen ? "true" : "false"}"
    ><span class="unseen">Details</span></a
  >`;
  return html`<tr ${isOpen && html`id="open" class="opened"`}>
      <td class="toggle">${toggle}</td>
      ${cells}
    </tr>
    ${
      isOpen &&
      html`<tr class="details">
        <td colspan="${width}"><div>${of(item)}</div></td>
      </tr>`
    }`;
}
