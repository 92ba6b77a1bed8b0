import { html, type Html } from "../../lib/html.ts";
import { amount } from "../parts/data.ts";
import { rounded, sumOf, ticksUpTo, type ChartData, type Series } from "./chart-data.ts";

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
  summary: string;
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
      <svg role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" width="100%" height="${height}">
        ${lines(ticks, scale)} ${labelsBelow(labels, scale)} ${marks(scale)} ${hints(data, scale)}
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
function labelsBelow(labels: readonly string[], { center }: Scale): Html[] {
  const every = Math.ceil(labels.length / axisLabels);
  return labels.flatMap((label, index) =>
    index % every === 0
      ? html`<text
          class="${index % (2 * every) === 0 ? "" : "wide"}"
          x="${center(index)}%"
          y="${height - 8}"
          text-anchor="middle"
          >${label}</text
        >`
      : [],
  );
}

/** The tooltip of a column. */
function hints({ labels, series }: ChartData, { center, step }: Scale): Html {
  const columns = labels.map((label, index) => {
    const values = series.map(({ name, values: each }) => `${name} ${amount(each[index] ?? 0)}`).join(", ");
    const x = rounded(center(index) - step / 2);
    return html`<rect x="${x}%" width="${rounded(step)}%" height="${bottom}"><title>${label}: ${values}</title></rect>`;
  });
  return html`<g class="hover">${columns}</g>`;
}

/** As wide as it needs: no list, and closed until asked for. */
function tableOf({ title, axis, labels, series }: ChartData, isSummed: boolean): Html {
  const hasTotal = isSummed && series.length > 1;
  const headings = [...series.map(({ name }) => name), ...(hasTotal ? ["Total"] : [])];
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
        ${labels.map((label, index) => {
          const values = series.map((each) => each.values[index] ?? 0);
          return html`<tr>
            <th scope="row">${label}</th>
            ${[...values, ...(hasTotal ? [sumOf(values)] : [])].map((value) => html`<td class="number">${amount(value)}</td>`)}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}
