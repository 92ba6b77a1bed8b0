import { html, type Html } from "../../lib/html.ts";
import type { Visit } from "../route.ts";

/** A form that filters a page, and keeps the zone of its times. */
export function filterForm(
  { request }: Visit,
  action: string,
  fields: Html,
  { isSearch = false }: { isSearch?: boolean } = {},
): Html {
  const zone = request.query().get("zone");
  return html`<form class="filter" action="${action}" ${isSearch && html`role="search"`}>
    ${zone !== undefined && html`<input type="hidden" name="zone" value="${zone}" />`} ${fields}
  </form>`;
}
