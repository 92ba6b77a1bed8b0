import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";

export type Series = { name: string; values: readonly number[] };

/** The data of a chart, and of its table. */
export type ChartData = {
  /** Unique on the page. */
  id: string;
  title: string;
  /** The counted thing: "sign-in", "sign-ins". */
  noun: { one: string; many: string };
  /** The kind of labels, as the heading of their column: "Hour". */
  axis: string;
  /** One for each value of a series. */
  labels: readonly string[];
  /** In order of importance. */
  series: readonly Series[];
  columns?: Columns | undefined;
};

/** What is known of each label, of charts with at most 60. */
export type Columns = {
  /** Where it leads. */
  links: readonly string[];
  /** The instant of a label that is an hour, which the script shows in the browser's zone. */
  hours?: readonly number[] | undefined;
  /** The column that is not over, and the sum of the same hours before. */
  unfinished?: { index: number; words: string; before: number } | undefined;
};

/** The attribute by which the script finds a label that is an hour. */
export function hourAttribute({ columns }: Pick<ChartData, "columns">, index: number): Html | false {
  const at = columns?.hours?.[index];
  return at !== undefined && html`data-hour="${new Date(at).toISOString()}"`;
}

/** A label within a text. */
export function labelAt(data: Pick<ChartData, "labels" | "columns">, index: number): Html | string {
  const label = data.labels[index] ?? "";
  const hour = hourAttribute(data, index);
  return hour ? html`<span ${hour}>${label}</span>` : label;
}

/** Each has its own pattern, dash and colour. */
const maxSeries = 6;
export const maxMarks = 400;

/**
 * Within the limits: series beyond the sixth become "Other", and neighbours are joined until there
 * are at most 400 marks. Invalid counts become 0.
 */
export function fitted(data: ChartData, join: (values: readonly number[]) => number): ChartData {
  const present = data.series.filter(({ values }) => values.some((value) => counted(value) > 0));
  const named = present.map(({ name, values }) => ({
    name: escapeUnseen(name),
    values: data.labels.map((_label, index) => counted(values[index])),
  }));
  const shown = named.length <= maxSeries ? named : withOther(named);
  const most = Math.floor(maxMarks / Math.max(1, shown.length));
  const size = Math.max(1, Math.ceil(data.labels.length / most));
  const starts = data.labels.flatMap((_label, index) => (index % size === 0 ? [index] : []));
  return {
    ...data,
    // Of joined neighbours nothing is known.
    columns: size === 1 ? data.columns : undefined,
    labels: starts.map((start) => escapeUnseen(data.labels[start] ?? "")),
    series: shown.map(({ name, values }) => ({
      name,
      values: starts.map((start) => join(values.slice(start, start + size))),
    })),
  };
}

function withOther(series: Series[]): Series[] {
  const [kept, rest] = [series.slice(0, maxSeries - 1), series.slice(maxSeries - 1)];
  const values = (rest[0]?.values ?? []).map((_value, index) => sumOf(rest.map((each) => each.values[index] ?? 0)));
  return [...kept, { name: "Other", values }];
}

function counted(value: number | undefined): number {
  return value !== undefined && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

export function meanOf(values: readonly number[]): number {
  return Math.round(sumOf(values) / Math.max(1, values.length));
}

/** Round numbers from 0 to at least `max`, at most five of them. */
export function ticksUpTo(max: number): number[] {
  const least = Math.max(1, max / 4);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_tick, index) => index * step);
}

/** Two digits after the point: enough for a mark's place. */
export function rounded(value: number): number {
  return Number(value.toFixed(2));
}
