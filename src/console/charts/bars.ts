import { html, type Html } from "../../lib/html.ts";
import { amount } from "../parts/data.ts";
import { fitted, labelAt, rounded, sumOf, type ChartData } from "./chart-data.ts";
import { figure, type Scale } from "./figure.ts";
import { fillOf, patternsOf } from "./marks.ts";

const maxWidth = 8;

/** Bars; those of several series are stacked, the first one lowest. */
export function bars(wanted: ChartData): Html {
  const data = fitted(wanted, sumOf);
  const { id, labels, series, columns } = data;
  const sums = labels.map((_label, index) => sumOf(series.map(({ values }) => values[index] ?? 0)));
  return figure(data, {
    max: Math.max(0, ...sums, columns?.unfinished?.before ?? 0),
    summary: summaryOf(data, sums),
    isSummed: true,
    marks: (scale) => html`${patternsOf(id, series.length)} ${stacks(data, scale)} ${beforeMark(data, scale)}`,
    sample: (index) => html`<rect width="24" height="12" rx="2" fill="${fillOf(id, index)}" stroke="currentColor" />`,
  });
}

function stacks({ id, labels, series, columns }: ChartData, { tall, bottom, center, step }: Scale): Html[] {
  const width = Math.min(step * 0.8, maxWidth);
  const below = labels.map(() => 0);
  return series.map(({ values }, position) => {
    const rects = values.map((value, index) => {
      if (value === 0) return undefined;
      // One among thousands must be visible.
      const height = Math.max(1, tall(value));
      below[index] = (below[index] ?? 0) + height;
      const [x, y] = [rounded(center(index) - width / 2), rounded(bottom - (below[index] ?? 0))];
      // It is still growing.
      const open = index === columns?.unfinished?.index && html`fill-opacity="0.35" stroke-dasharray="3 2"`;
      return html`<rect x="${x}%" y="${y}" width="${rounded(width)}%" height="${height}" ${open} />`;
    });
    return html`<g class="mark-${position + 1}" fill="${fillOf(id, position)}" stroke="currentColor">${rects}</g>`;
  });
}

/** How high the bar that is not over was in the same hours before. */
function beforeMark({ columns }: ChartData, { tall, bottom, center, step }: Scale): Html | undefined {
  const { index, before } = columns?.unfinished ?? { index: 0, before: 0 };
  if (before === 0) return undefined;
  const width = Math.min(step, maxWidth + 1);
  return html`<rect
    x="${rounded(center(index) - width / 2)}%"
    y="${rounded(bottom - tall(before) - 1)}"
    width="${rounded(width)}%"
    height="2"
    fill="currentColor"
  />`;
}

function summaryOf(data: ChartData, sums: number[]): Html {
  const { noun, series, columns } = data;
  const total = sumOf(sums);
  const most = sums.indexOf(Math.max(...sums));
  const shares = series.map(({ name, values }) => `${name} ${Math.round((100 * sumOf(values)) / total)}\u00A0%`);
  const counted = `${amount(total)} ${total === 1 ? noun.one : noun.many}, at most ${amount(sums[most] ?? 0)} (`;
  const parts = series.length < 2 ? ")." : `): ${shares.join(", ")}.`;
  const { unfinished } = columns ?? {};
  if (!unfinished) return html`${counted}${labelAt(data, most)}${parts}`;
  const open = ` until now: ${amount(sums[unfinished.index] ?? 0)}, ${unfinished.words}.`;
  return html`${counted}${labelAt(data, most)}${parts} ${labelAt(data, unfinished.index)}${open}`;
}

/** The length of a number beside it, in a table. */
export function lengthBar(value: number, max: number): Html {
  const width = max > 0 ? rounded((100 * value) / max) : 0;
  return html`<svg class="mark-1" width="64" height="10" aria-hidden="true">
    <rect width="${width}%" height="10" rx="2" fill="currentColor" />
  </svg>`;
}
