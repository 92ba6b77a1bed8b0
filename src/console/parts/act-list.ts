/** Acts as buttons: of a page, of a part of it, of a row. */
import { html, type Html } from "../../lib/html.ts";
import type { ActButton } from "./act-form.ts";
import type { Column } from "./table.ts";

type Acts = readonly (ActButton | undefined)[];

function button({ id, label, isGrave }: ActButton, look: string): Html {
  return html`<button type="button" class="${look}${isGrave && " bad"}" popovertarget="${id}">${label}</button>`;
}

function allowed(acts: Acts): ActButton[] {
  return acts.filter((act) => act !== undefined);
}

/** The button alone: its dialog is elsewhere on the page. */
export function openButton(act: ActButton): Html {
  return button(act, "button second small");
}

/** Acts behind "…"; nothing without any. */
export function actMenu(acts: Acts): Html | undefined {
  const shown = allowed(acts);
  return shown.length === 0 ? undefined : html`${menu(shown)}${dialogs(shown)}`;
}

function menu(acts: readonly ActButton[]): Html {
  return html`<details class="more" data-menu="acts">
    <summary class="button second"><span class="unseen">More actions</span><span aria-hidden="true">…</span></summary>
    <div>${acts.map((act) => button(act, "item"))}</div>
  </details>`;
}

function dialogs(acts: readonly ActButton[]): Html[] {
  return acts.map(({ dialog }) => dialog);
}

/** Beside the heading of a page: the act that people came for, and the rest. */
export type PageActs = { primary?: ActButton | undefined; more?: Acts };

/** `dialogs` stand at the end of the page. */
export function actBar({ primary, more = [] }: PageActs): { bar: Html; dialogs: Html[] } | undefined {
  const others = allowed(more);
  if (!primary && others.length === 0) return undefined;
  const [only] = others;
  const rest = !primary && others.length === 1 && only ? button(only, "button second") : menu(others);
  return {
    bar: html`<div class="bar">${primary && button(primary, "button")} ${others.length > 0 && rest}</div>`,
    dialogs: dialogs([...(primary ? [primary] : []), ...others]),
  };
}

/** Acts below or beside what they are about; nothing without any. */
export function actList(acts: Acts): Html | undefined {
  const shown = allowed(acts);
  if (shown.length === 0) return undefined;
  return html`<div class="acts">${shown.map((act) => html`${button(act, "button second small")}${act.dialog}`)}</div>`;
}

/** The column with the acts of each row; none for an operator who may not do any. */
export function actColumn<Item>(items: readonly Item[], actsOf: (item: Item) => Acts): Column<Item>[] {
  const ofItems = new Map(items.map((item) => [item, allowed(actsOf(item))]));
  const most = Math.max(0, ...[...ofItems.values()].map((acts) => acts.length));
  if (most === 0) return [];
  const cell = (item: Item): Html | undefined => {
    const acts = ofItems.get(item) ?? [];
    return acts.length > 1 ? actMenu(acts) : actList(acts);
  };
  return [{ heading: "Actions", fit: "acts", cell }];
}
