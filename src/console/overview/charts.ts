import { html, type Html } from "../../lib/html.ts";
import { day } from "../../lib/clock.ts";
import { bars } from "../charts/bars.ts";
import type { Columns, Series } from "../charts/chart-data.ts";
import { lines } from "../charts/lines.ts";
import { topics, totalsOf, type Before, type Counted, type Topic } from "./activity.ts";
import { methodName, reasonName } from "./kind-names.ts";
import { compared, weeksWords } from "./numbers.ts";
import { axisOf, barsOf, labelsOf, unfinishedBar, valuesIn, type TimeRange } from "./time-range.ts";

export type ActivityShown = {
  range: TimeRange;
  counted: readonly Counted[];
  /** Of the bar that is not over. */
  before: Before | undefined;
  /** In whole days, with as many before; undefined: too short. */
  active: { range: TimeRange; counted: readonly Counted[]; weeks: number; earlier: readonly Counted[] } | undefined;
  linkTo(part: { from: number; to: number }): string;
};

const charts: {
  id: string;
  title: string;
  one: string;
  many: string;
  topic: Topic;
  nameOf: (each: Counted) => string;
}[] = [
  { id: "sign-ups", title: "Sign-ups", one: "sign-up", many: "sign-ups", topic: "signUps", nameOf: kindName },
  {
    id: "failures",
    title: "Failed sign-ins",
    one: "failed sign-in",
    many: "failed sign-ins",
    topic: "failures",
    nameOf: reasonName,
  },
  {
    id: "refusals",
    title: "Refused calls",
    one: "refused call",
    many: "refused calls",
    topic: "refusals",
    nameOf: reasonName,
  },
];

function kindName({ kind }: Counted): string {
  return methodName(kind);
}

/** One chart for each question: sign-ins, new users, failures, refusals; then the rest. */
export function activityCharts(shown: ActivityShown, beside: Html, now: number): Html {
  const { range, counted, active } = shown;
  const chart = ({ id, title, one, many, topic, nameOf }: (typeof charts)[number]): Html =>
    bars({
      id,
      title,
      noun: { one, many },
      axis: axisOf(range),
      labels: labelsOf(range),
      series: seriesOf(range, counted.filter(topics[topic]), nameOf),
      columns: columnsOf(shown, topic, now),
    });
  return html`${chart({ id: "sign-ins", title: "Sign-ins", one: "sign-in", many: "sign-ins", topic: "signIns", nameOf: kindName })}
    <div class="halves">${active && activeChart(active, shown, now)} ${charts.map(chart)} ${beside}</div>`;
}

function columnsOf({ range, counted, before, linkTo }: ActivityShown, topic: Topic, now: number): Columns {
  const all = barsOf(range);
  const index = unfinishedBar(range, now);
  const bar = index === undefined ? undefined : all[index];
  const inBar = counted.filter(({ startsAt }) => bar && startsAt >= bar.from);
  const earlier = before?.totals[topic] ?? 0;
  return {
    links: all.map(linkTo),
    hours: range.length < day ? all.map(({ from }) => from) : undefined,
    unfinished:
      index === undefined || !before
        ? undefined
        : {
            index,
            before: earlier,
            words: compared(totalsOf(inBar)[topic], earlier, `the same hours ${weeksWords(before)}`),
          },
  };
}

/** The largest first. */
function seriesOf(range: TimeRange, counted: readonly Counted[], nameOf: (each: Counted) => string): Series[] {
  return [...Map.groupBy(counted, nameOf)]
    .map(([name, each]) => ({ name, total: each.reduce((sum, { value }) => sum + value, 0), each }))
    .toSorted((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
    .map(({ name, each }) => ({ name, values: valuesIn(range, each) }));
}

/** On each day, or on an average day of each bar; beside the same weekdays before. */
function activeChart(
  { range, counted, weeks, earlier }: NonNullable<ActivityShown["active"]>,
  { linkTo }: ActivityShown,
  now: number,
): Html {
  const { from, length } = range;
  const all = barsOf(range);
  const index = unfinishedBar(range, now);
  const daysIn = (bar: { from: number; to: number }): number => Math.ceil((Math.min(bar.to, now) - bar.from) / day);
  const back = weeks * 7 * day;
  const aDay = (values: number[], days: (bar: { from: number; to: number }) => number): number[] =>
    values.map((value, at) => Math.round(value / Math.max(1, days(all[at] ?? { from, to: from + length }))));
  return lines({
    id: "active",
    title: "Active users a day",
    noun: { one: "active user", many: "active users" },
    axis: axisOf(range),
    labels: labelsOf(range),
    series: [
      { name: "Now", values: aDay(valuesIn(range, counted), daysIn) },
      {
        name: weeksWords({ weeks }).replace(/^a/u, "A"),
        values: aDay(valuesIn({ ...range, from: from - back }, earlier), (bar) => (bar.to - bar.from) / day),
      },
    ],
    columns: {
      links: all.map(linkTo),
      unfinished:
        index === undefined
          ? undefined
          : { index, before: 0, words: length === day ? "so far today" : "in the time that is not over" },
    },
  });
}
