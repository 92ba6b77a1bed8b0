import { html, type Html } from "../../lib/html.ts";
import type { Column } from "./data.ts";

/** Acts below their subject; nothing if there are none. */
export function actList(acts: (Html | undefined)[]): Html | undefined {
  const allowed = acts.filter((act) => act !== undefined);
  return allowed.length === 0 ? undefined : html`<div class="acts">${allowed}</div>`;
}

/** The column with an act for each row; none for an operator who may not do it. */
export function actColumn<Item>(items: readonly Item[], cell: (item: Item) => Html | undefined): Column<Item>[] {
  return items.some((item) => cell(item) !== undefined) ? [{ heading: "Change", cell }] : [];
}
