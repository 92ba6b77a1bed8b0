import { html, type Html } from "../../lib/html.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { Visit } from "../route.ts";
import { pageWith } from "./page-address.ts";

/** No page reads more rows. */
export const pageSize = 50;

/** A place in a list that is ordered by time and id: after this row. */
export type Place = { at: number; id: string };

/** Where the page begins; undefined at the start. Throws INVALID_REQUEST. */
export function placeIn({ request }: Visit): Place | undefined {
  const text = request.query().get("after");
  if (text === undefined) return undefined;
  const [, at, id] = /^(\d{1,15})\.([\w.-]{1,64})$/u.exec(text) ?? [];
  if (at === undefined || id === undefined) throw invalidRequest("after", "a link of the previous page");
  return { at: Number(at), id };
}

export function cursorOf({ at, id }: Place): string {
  return `${at}.${id}`;
}

/**
 * At most one page of the rows, and the cursor after it if there are more. Request one row more.
 */
export function pageOf<Row>(rows: readonly Row[], cursor: (row: Row) => string): { rows: Row[]; next?: string } {
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  return rows.length > pageSize && last ? { rows: page, next: cursor(last) } : { rows: page };
}

/** Links to the next page and to the first, with the other parameters of the query. */
export function pageLinks(visit: Visit, next: string | undefined, label = "Older"): Html | undefined {
  const isFirst = !visit.request.query().has("after");
  if (next === undefined && isFirst) return undefined;
  const to = (after: string | undefined): string => pageWith(visit, { after, open: undefined });
  return html`<nav class="pages" aria-label="Pages">
    ${!isFirst && html`<a href="${to(undefined)}">Back to the start</a>`}
    ${next !== undefined && html`<a href="${to(next)}">${label}</a>`}
  </nav>`;
}
