import { html, type Html } from "../../lib/html.ts";
import { day } from "../../lib/clock.ts";
import { bars } from "../charts/bars.ts";
import type { Series } from "../charts/chart-data.ts";
import { lines } from "../charts/lines.ts";
import { isFailure, type Counted } from "./activity.ts";
import { methodName, reasonName } from "./kind-names.ts";
import { labelsOf, valuesIn, type TimeRange } from "./time-range.ts";

export type ActivityShown = {
  range: TimeRange;
  counted: readonly Counted[];
  daily: TimeRange;
  active: readonly Counted[];
};

/** One chart for each question: sign-ins, new users, failures, refusals. */
export function activityCharts({ range, counted, daily, active }: ActivityShown, now: number): Html {
  const of = (isOne: (each: Counted) => boolean, nameOf: (each: Counted) => string): Series[] =>
    seriesOf(range, counted.filter(isOne), nameOf);
  const axes = { axis: range.axis, labels: labelsOf(range) };
  const method = ({ kind }: Counted): string => methodName(kind);
  return html`${bars({
      ...axes,
      id: "sign-ins",
      title: "Sign-ins",
      noun: { one: "sign-in", many: "sign-ins" },
      series: of(({ event }) => event === "sign-in", method),
    })}
    <div class="halves">
      ${activeChart(daily, active, now)}
      ${bars({
        ...axes,
        id: "sign-ups",
        title: "Sign-ups",
        noun: { one: "sign-up", many: "sign-ups" },
        series: of(({ event }) => event === "sign-up", method),
      })}
      ${bars({
        ...axes,
        id: "failures",
        title: "Failed sign-ins",
        noun: { one: "failed sign-in", many: "failed sign-ins" },
        series: of(isFailure, reasonName),
      })}
      ${bars({
        ...axes,
        id: "refusals",
        title: "Refused calls",
        noun: { one: "refused call", many: "refused calls" },
        series: of(({ event }) => event === "refusal", reasonName),
      })}
    </div>`;
}

/** The largest first. */
function seriesOf(range: TimeRange, counted: readonly Counted[], nameOf: (each: Counted) => string): Series[] {
  return [...Map.groupBy(counted, nameOf)]
    .map(([name, each]) => ({ name, total: each.reduce((sum, { value }) => sum + value, 0), each }))
    .toSorted((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
    .map(({ name, each }) => ({ name, values: valuesIn(range, each) }));
}

/** On each day, or on an average day of each week; beside the time before. */
function activeChart(range: TimeRange, active: readonly Counted[], now: number): Html {
  const { from, to, length } = range;
  const daysIn = (index: number): number => Math.min(length / day, Math.ceil((now - from - index * length) / day));
  const before = valuesIn({ ...range, from: from - (to - from) }, active);
  return lines({
    id: "active",
    title: "Active users a day",
    noun: { one: "active user", many: "active users" },
    axis: range.axis,
    labels: labelsOf(range),
    series: [
      { name: "Now", values: valuesIn(range, active).map((value, index) => Math.round(value / daysIn(index))) },
      { name: "Before", values: before.map((value) => Math.round(value / (length / day))) },
    ],
  });
}
