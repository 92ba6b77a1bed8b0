import { html, type Html } from "../../lib/html.ts";
import { amount } from "../parts/data.ts";
import { hourAttribute, labelAt, rounded, sumOf, ticksUpTo, type ChartData, type Series } from "./chart-data.ts";

/** Pixels. Widths are percentages: the text stays as large on a phone. */
const height = 190;
const top = 10;
const bottom = 164;
const axisLabels = 6;

export type Scale = {
  /** The distance of a value from the bottom line. */
  tall(value: number): number;
  bottom: number;
  /** Percent of the width. */
  center(index: number): number;
  step: number;
};

type Drawing = {
  /** The value of the tallest mark. */
  max: number;
  summary: Html;
  marks(scale: Scale): Html;
  /** The sample of a series in the legend. */
  sample(index: number): Html;
  /** Whether a column with the sums makes sense. */
  isSummed: boolean;
};

/** A chart with its summary, its legend and its table. */
export function figure(data: ChartData, { max, summary, marks, sample, isSummed }: Drawing): Html {
  const { id, title, noun, labels, series } = data;
  if (series.length === 0)
    return html`<figure class="part chart">
      <figcaption data-live="${id}-caption"><h2>${title}</h2></figcaption>
      <div data-live="${id}"><p class="none">No ${noun.many} in this time.</p></div>
    </figure>`;
  const ticks = ticksUpTo(max);
  const highest = ticks.at(-1) ?? 1;
  const step = 100 / labels.length;
  const scale: Scale = {
    tall: (value) => rounded(((bottom - top) * value) / highest),
    bottom,
    center: (index) => rounded((index + 0.5) * step),
    step,
  };
  return html`<figure class="part chart">
    <figcaption data-live="${id}-caption">
      <h2 id="${id}-title">${title}</h2>
      <p class="hint" id="${id}-summary">${summary}</p>
    </figcaption>
    <div data-live="${id}">
      ${series.length > 1 && legend(series, sample)}
      <svg width="100%" height="${height}">
        <g role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary">
          ${lines(ticks, scale)} ${labelsBelow(data, scale)} ${marks(scale)}
        </g>
        ${hints(data, scale)}
      </svg>
    </div>
    <details>
      <summary>As a table</summary>
      <div data-live="${id}-table">${tableOf(data, isSummed)}</div>
    </details>
  </figure>`;
}

function legend(series: readonly Series[], sample: (index: number) => Html): Html {
  return html`<ul class="legend">
    ${series.map(
      ({ name }, index) =>
        html`<li>
          <svg class="mark-${index + 1}" width="24" height="12" aria-hidden="true">${sample(index)}</svg
          ><bdi>${name}</bdi>
        </li>`,
    )}
  </ul>`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact" });

function lines(ticks: number[], { tall }: Scale): Html[] {
  return ticks.map((tick) => {
    const y = bottom - tall(tick);
    return html`<line x2="100%" y1="${y}" y2="${y}" /><text x="-8" y="${y + 4}" text-anchor="end"
        >${compact.format(tick)}</text
      >`;
  });
}

/** Half of them on a phone. */
function labelsBelow({ labels, ...data }: ChartData, { center }: Scale): Html[] {
  const every = Math.ceil(labels.length / axisLabels);
  return labels.flatMap((label, index) =>
    index % every === 0
      ? html`<text
          class="${index % (2 * every) === 0 ? "" : "wide"}"
          x="${center(index)}%"
          y="${height - 8}"
          text-anchor="middle"
          ${hourAttribute(data, index)}
          >${label}</text
        >`
      : [],
  );
}

/** The tooltip of a column, which leads to what is in it. With the keyboard, the table does. */
function hints({ labels, series, columns }: ChartData, { center, step }: Scale): Html {
  const areas = labels.map((label, index) => {
    const values = series.map(({ name, values: each }) => `${name} ${amount(each[index] ?? 0)}`).join(", ");
    const words = index === columns?.unfinished?.index ? `${label} until now` : label;
    const x = rounded(center(index) - step / 2);
    const title = html`<title ${hourAttribute({ columns }, index)}>${words}: ${values}</title>`;
    const area = html`<rect x="${x}%" width="${rounded(step)}%" height="${bottom}">${title}</rect>`;
    const link = columns?.links[index];
    return link === undefined ? area : html`<a href="${link}" tabindex="-1" aria-hidden="true">${area}</a>`;
  });
  return html`<g class="hover">${areas}</g>`;
}

/** As wide as it needs: no list, and closed until asked for. */
function tableOf(data: ChartData, isSummed: boolean): Html {
  const { title, axis, labels, series, columns } = data;
  const hasTotal = isSummed && series.length > 1;
  const headings = [...series.map(({ name }) => name), ...(hasTotal ? ["Total"] : [])];
  const rowHeading = (index: number): Html => {
    const link = columns?.links[index];
    const until = index === columns?.unfinished?.index && " until now";
    const label = labelAt(data, index);
    return html`${link === undefined ? label : html`<a href="${link}">${label}</a>`}${until}`;
  };
  return html`<div class="scroll" role="region" aria-label="${title}, as a table" tabindex="0">
    <table>
      <caption class="unseen">
        ${title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${axis}</th>
          ${headings.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${labels.map((_label, index) => {
          const values = series.map((each) => each.values[index] ?? 0);
          return html`<tr>
            <th scope="row">${rowHeading(index)}</th>
            ${[...values, ...(hasTotal ? [sumOf(values)] : [])].map((value) => html`<td class="number">${amount(value)}</td>`)}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}
