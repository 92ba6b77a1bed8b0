import { html, type Html } from "../../lib/html.ts";
import { amount } from "../parts/data.ts";
import { fitted, maxMarks, meanOf, rounded, type ChartData, type Series } from "./chart-data.ts";
import { figure, type Scale } from "./figure.ts";
import { dashOf } from "./marks.ts";

/** The least distance of two names at the ends of their lines, in pixels. */
const lineHeight = 15;

/** Lines, each with its name at its end. */
export function lines(wanted: ChartData): Html {
  const data = fitted(wanted, meanOf);
  const { series } = data;
  return figure(data, {
    max: Math.max(0, ...series.flatMap(({ values }) => values)),
    summary: summaryOf(data),
    isSummed: false,
    marks: (scale) =>
      html`<svg viewBox="0 0 100 ${scale.bottom}" width="100%" height="${scale.bottom}" preserveAspectRatio="none">
          ${series.map((each, index) => line(each, index, scale))}
        </svg>
        ${series.map((each, index) => end(each, index, scale))} ${series.length > 1 && names(series, scale)}`,
    sample: (index) =>
      html`<path d="M0 6h24" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="${dashOf(index)}" />`,
  });
}

function line({ values }: Series, index: number, { tall, bottom, center }: Scale): Html {
  const points = values.map((value, at) => `${center(at)},${rounded(bottom - tall(value))}`).join(" ");
  return html`<polyline
    class="mark-${index + 1}"
    points="${points}"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-dasharray="${dashOf(index)}"
    stroke-linejoin="round"
    vector-effect="non-scaling-stroke"
  />`;
}

function end({ values }: Series, index: number, { tall, bottom, center }: Scale): Html {
  const last = values.length - 1;
  return html`<circle
    class="mark-${index + 1}"
    cx="${center(last)}%"
    cy="${rounded(bottom - tall(values[last] ?? 0))}"
    r="3.5"
    fill="currentColor"
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

function summaryOf({ noun, labels, series }: ChartData): string {
  const values = series[0]?.values ?? [];
  const [highest, lowest] = [Math.max(...values), Math.min(...values)];
  const at = (value: number): string => `${amount(value)} (${labels[values.indexOf(value)] ?? ""})`;
  const latest = values.at(-1) ?? 0;
  return `${amount(latest)} ${latest === 1 ? noun.one : noun.many} at the end, at most ${at(highest)}, at least ${at(lowest)}.`;
}

/** A small line without axes, beside the number that it leads to. `summary`: in one sentence. */
export function sparkline(values: readonly number[], summary: string): Html {
  const data = { id: "", title: "", noun: { one: "", many: "" }, axis: "", labels: values.map(String) };
  const { series } = fitted({ ...data, series: [{ name: "", values }] }, meanOf);
  const shown = series[0]?.values ?? [0, 0];
  const max = Math.max(1, ...shown);
  const step = 100 / Math.max(1, Math.min(shown.length, maxMarks) - 1);
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
