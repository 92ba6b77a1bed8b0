import { html, type Html } from "../../lib/html.ts";
import { sparkline } from "../charts/lines.ts";
import { amount } from "../parts/data.ts";
import type { Today, TodayOf } from "./activity.ts";

/** The row of numbers at the head of the page. */
export function numbers(of: TodayOf, present: { people: number; active: number; live: number }): Html {
  return html`<dl class="numbers" data-live="numbers">
    ${todayTile("Sign-ins today", of.signIns)} ${todayTile("Sign-ups today", of.signUps)}
    ${todayTile("Failed sign-ins today", of.failures)} ${todayTile("Refused calls today", of.refusals)}
    ${todayTile("Active users today", of.active, `${amount(present.active)} in 30 days`)}
    ${tile("People", present.people, html`<small>${amount(present.live)} live logins</small>`)}
  </dl>`;
}

function todayTile(name: string, { today, weekAgo, hours }: Today, more?: string): Html {
  const summary = `${name.replace(" today", "")} in each of the last 24 hours: at most ${amount(Math.max(...hours))}, in this one ${amount(hours.at(-1) ?? 0)}.`;
  return tile(
    name,
    today,
    html`<small>${compared(today, weekAgo)}${more !== undefined && html`<br />${more}`}</small
      >${sparkline(hours, summary)}`,
  );
}

function tile(name: string, value: number, below?: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${amount(value)}${below}</dd>
  </div>`;
}

/** Compared with the same time a week before. */
function compared(today: number, weekAgo: number): string {
  if (weekAgo === 0) return "none a week before";
  const percent = Math.round((100 * (today - weekAgo)) / weekAgo);
  if (percent === 0) return `as a week before (${amount(weekAgo)})`;
  return `${amount(Math.abs(percent))}\u00A0% ${percent > 0 ? "above" : "below"} a week before (${amount(weekAgo)})`;
}
