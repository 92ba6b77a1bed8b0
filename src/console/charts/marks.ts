import { html, type Html } from "../../lib/html.ts";

/** Eight pixels square, over a tint. The first series is solid. */
const patterns = [
  undefined,
  html`<path d="M-2 2l4-4M0 8l8-8M6 10l4-4" />`,
  html`<path d="M1 2h2M5 6h2" stroke-width="2.5" />`,
  html`<path d="M0 2h8M0 6h8" />`,
  html`<path d="M0 0l8 8M0 8l8-8" stroke-width="1" />`,
  html`<path d="M2 0v8M6 0v8" />`,
];

const dashes = ["none", "7 4", "2 3", "10 3 2 3", "4 2", "1 4"];

/** The patterns of a chart's series. */
export function patternsOf(id: string, series: number): Html {
  return html`<defs>
    ${patterns.slice(0, series).map(
      (drawing, index) =>
        drawing &&
        html`<pattern
          id="${patternId(id, index)}"
          class="mark-${index + 1}"
          width="8"
          height="8"
          patternUnits="userSpaceOnUse"
        >
          <rect width="8" height="8" fill="currentColor" fill-opacity="0.18" />
          <g fill="none" stroke="currentColor" stroke-width="1.5">${drawing}</g>
        </pattern>`,
    )}
  </defs>`;
}

/** The fill of a series: solid, or its pattern. */
export function fillOf(id: string, index: number): string {
  return patterns[index] ? `url(#${patternId(id, index)})` : "currentColor";
}

export function dashOf(index: number): string {
  return dashes[index] ?? "none";
}

function patternId(id: string, index: number): string {
  return `${id}-pattern-${index + 1}`;
}
