import { html, type Html } from "../../lib/html.ts";
import { sparkline } from "../charts/lines.ts";
import { amount, tile } from "../parts/data.ts";
import { topics, totalsOf, type ActiveUsers, type Before, type Counted, type Topic } from "./activity.ts";
import { unfinishedBar, valuesIn, type TimeRange } from "./time-range.ts";

export type Numbers = {
  range: TimeRange;
  counted: readonly Counted[];
  before: Before;
  active: ActiveUsers;
  present: { people: number; active: number; live: number };
};

/** The row of numbers of the range. */
export function numbers({ range, counted, before, active, present }: Numbers, now: number): Html {
  const totals = totalsOf(counted);
  const topicTile = (name: string, topic: Topic): Html => {
    // The bar that is not over would look like a collapse.
    const values = valuesIn(range, counted.filter(topics[topic])).slice(0, unfinishedBar(range, now));
    const summary = `${name} over the time, at most ${amount(Math.max(0, ...values))} at once.`;
    return tile(
      name,
      totals[topic],
      compared(totals[topic], before.totals[topic], weeksWords(before)),
      values.length > 1 && sparkline(values, summary),
    );
  };
  return html`<dl class="numbers" data-live="numbers">
    ${topicTile("Sign-ins", "signIns")} ${topicTile("Sign-ups", "signUps")} ${topicTile("Failed sign-ins", "failures")}
    ${topicTile("Refused calls", "refusals")}
    ${tile(
      active.isToday ? "Active users today" : "Active users a day",
      active.value,
      `${amount(present.active)} in the last 30 days`,
    )}
    ${tile("People now", present.people, `${amount(present.live)} live ${present.live === 1 ? "login" : "logins"}`)}
  </dl>`;
}

export function weeksWords({ weeks }: Pick<Before, "weeks">): string {
  return weeks === 1 ? "a week before" : `${weeks} weeks before`;
}

/** Compared with the same hours before. */
export function compared(value: number, earlier: number, when: string): string {
  const inWhen = when.startsWith("the ") ? `in ${when}` : when;
  if (earlier === 0) return `none ${inWhen}`;
  // A percentage of a few says nothing.
  if (earlier < 20) return `${amount(earlier)} ${inWhen}`;
  const percent = Math.round((100 * (value - earlier)) / earlier);
  if (percent === 0) return `as ${when} (${amount(earlier)})`;
  return `${amount(Math.abs(percent))}\u00A0% ${percent > 0 ? "above" : "below"} ${when} (${amount(earlier)})`;
}
