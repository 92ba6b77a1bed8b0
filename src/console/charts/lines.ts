import { html, type Html } from "../../lib/html.ts";
import { amount } from "../parts/data.ts";
import { fitted, meanOf, rounded, type ChartData, type Series } from "./chart-data.ts";
import { figure, type Scale } from "./figure.ts";
import { dashOf } from "./marks.ts";

/** The least distance of two names at the ends of their lines, in pixels. */
const lineHeight = 15;

/** Lines, each with its name at its end. */
export function lines(wanted: ChartData): Html {
  const data = fitted(wanted, meanOf);
  const { series, columns } = data;
  // Only of the first one: others are of times that are over.
  const isOpen = (index: number): boolean => index === 0 && columns?.unfinished !== undefined;
  return figure(data, {
    max: Math.max(0, ...series.flatMap(({ values }) => values)),
    summary: summaryOf(data),
    isSummed: false,
    marks: (scale) =>
      html`<svg viewBox="0 0 100 ${scale.bottom}" width="100%" height="${scale.bottom}" preserveAspectRatio="none">
          ${series.map((each, index) => line(each, index, scale, isOpen(index)))}
        </svg>
        ${series.map((each, index) => end(each, index, scale, isOpen(index)))}
        ${series.length > 1 && names(series, scale)}`,
    sample: (index) =>
      html`<path d="M0 6h24" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="${dashOf(index)}" />`,
  });
}

function line({ values }: Series, index: number, { tall, bottom, center }: Scale, open: boolean): Html[] {
  const points = values.map((value, at) => `${center(at)},${rounded(bottom - tall(value))}`);
  const stroke = (some: string[], dash: string, look: string): Html =>
    html`<polyline
      class="mark-${index + 1}${look}"
      points="${some.join(" ")}"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-dasharray="${dash}"
      stroke-linejoin="round"
      vector-effect="non-scaling-stroke"
    />`;
  if (!open) return [stroke(points, dashOf(index), "")];
  return [stroke(points.slice(0, -1), dashOf(index), ""), stroke(points.slice(-2), "2 4", " open")];
}

/** Hollow while it is still growing. */
function end({ values }: Series, index: number, { tall, bottom, center }: Scale, open: boolean): Html {
  const last = values.length - 1;
  return html`<circle
    class="mark-${index + 1}"
    cx="${center(last)}%"
    cy="${rounded(bottom - tall(values[last] ?? 0))}"
    r="3.5"
    fill="${open ? "none" : "currentColor"}"
    stroke="currentColor"
  />`;
}

/** From the top down, so that none covers another. */
function names(series: readonly Series[], { tall, bottom }: Scale): Html[] {
  let free = 0;
  return series
    .map(({ name, values }, index) => ({ name, index, y: bottom - tall(values.at(-1) ?? 0) - 8 }))
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, index, y }) => {
      const at = Math.max(y, free);
      free = at + lineHeight;
      return html`<text class="name mark-${index + 1}" x="100%" y="${rounded(at)}" text-anchor="end">${name}</text>`;
    });
}

function summaryOf({ noun, labels, series, columns }: ChartData): Html {
  const all = series[0]?.values ?? [];
  const values = all.slice(0, columns?.unfinished?.index);
  const at = (value: number): string => `${amount(value)} (${labels[values.indexOf(value)] ?? ""})`;
  const latest = values.at(-1) ?? 0;
  const open = columns?.unfinished && `${amount(all.at(-1) ?? 0)} ${columns.unfinished.words}.`;
  if (values.length === 0) return html`${open}`;
  const ended = `${amount(latest)} ${latest === 1 ? noun.one : noun.many} at the end, at most ${at(Math.max(...values))}, at least ${at(Math.min(...values))}.`;
  return html`${ended}${open !== undefined && ` ${open}`}`;
}

/** A small line without axes, beside the number that it leads to. `summary`: in one sentence. */
export function sparkline(values: readonly number[], summary: string): Html {
  const data = { id: "", title: "", noun: { one: "", many: "" }, axis: "", labels: values.map(String) };
  const { series } = fitted({ ...data, series: [{ name: "", values }] }, meanOf);
  const shown = series[0]?.values ?? [0, 0];
  const max = Math.max(1, ...shown);
  const step = 100 / Math.max(1, shown.length - 1);
  const points = shown.map((value, index) => `${rounded(index * step)},${rounded(22 - (20 * value) / max)}`);
  return html`<svg
    class="mark-1"
    role="img"
    aria-label="${summary}"
    viewBox="0 0 100 24"
    width="100%"
    height="24"
    preserveAspectRatio="none"
  >
    <polyline
      points="${points.join(" ")}"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      vector-effect="non-scaling-stroke"
    />
  </svg>`;
}
