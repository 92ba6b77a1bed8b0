import { day, hour, isoTime } from "../../lib/clock.ts";
import { html, type Html } from "../../lib/html.ts";
import type { SigningKeyAnswer } from "../../tokens/signing-key-answer.ts";

/** The stages of a key: instants are epoch milliseconds. */
export type KeyLife = {
  kid: string;
  algorithm: string;
  created: number;
  signsFrom: number;
  /** Undefined: until a successor signs. */
  signsUntil: number | undefined;
  publishedUntil: number | undefined;
};

/** `keys`: each algorithm's, oldest first. */
export function livesOf(keys: readonly SigningKeyAnswer[]): KeyLife[] {
  return keys.map(({ kid, algorithm, createdAt, signsFrom, publishedUntil }, position) => {
    const successor = keys[position + 1];
    return {
      kid,
      algorithm,
      created: Date.parse(createdAt),
      signsFrom: Date.parse(signsFrom),
      signsUntil: successor?.algorithm === algorithm ? Date.parse(successor.signsFrom) : undefined,
      publishedUntil: publishedUntil === null ? undefined : Date.parse(publishedUntil),
    };
  });
}

const [width, rowHeight, top, axis] = [720, 44, 18, 22];
/** The minimum width of a bar, so that short periods are visible. */
const thinnest = 3;

/** From creation over signing to withdrawal, one row a key, with a line at now. */
export function timeBar(lives: readonly KeyLife[], now: number): Html {
  const first = Math.min(now, ...lives.map(({ created }) => created));
  const ends = lives.flatMap(({ signsFrom, signsUntil, publishedUntil }) => [
    signsFrom,
    signsUntil ?? 0,
    publishedUntil ?? 0,
  ]);
  const last = Math.max(now + day, ...ends);
  const margin = (last - first) / 40;
  const [from, until] = [first - margin, last + margin];
  const x = (at: number): number => Math.round(((at - from) / (until - from)) * width);
  const height = top + lives.length * rowHeight;
  return html`<svg
    class="bars"
    viewBox="0 0 ${width} ${height + axis}"
    role="img"
    aria-label="When each key is published and signs; the table below says the same"
  >
    ${lives.map((life, row) => lifeBars(life, { x, until, y: top + row * rowHeight }))}
    <line x1="0" x2="${width}" y1="${height}" y2="${height}" />
    ${marksBetween(from, until).map(({ at, text }) => html`<text x="${x(at)}" y="${height + 16}" text-anchor="middle">${text}</text>`)}
    <line class="now" x1="${x(now)}" x2="${x(now)}" y1="0" y2="${height}" />
    <text x="${x(now) + 4}" y="11">now</text>
  </svg>`;
}

function lifeBars(
  { kid, algorithm, created, signsFrom, signsUntil, publishedUntil }: KeyLife,
  { x, until, y }: { x: (at: number) => number; until: number; y: number },
): Html {
  const bar = (kind: string, [start, end]: [number, number], [offset, size]: [number, number]): Html | undefined =>
    end > start
      ? html`<rect
          class="${kind}"
          x="${x(start)}"
          y="${y + offset}"
          width="${Math.max(thinnest, x(end) - x(start))}"
          height="${size}"
          rx="3"
        />`
      : undefined;
  const signsTo = signsUntil ?? until;
  return html`<g>
    <text class="key-text" x="4" y="${y + 14}">${algorithm} ${kid.slice(0, 8)}…</text>
    ${bar("published", [created, Math.min(signsFrom, signsTo)], [25, 4])}
    ${bar("signs", [signsFrom, signsTo], [20, 14])}
    ${publishedUntil !== undefined && bar("published", [signsTo, publishedUntil], [25, 4])}
  </g>`;
}

const byDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const steps = [3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day];
const maxMarks = 8;

/** Round instants, at most eight. */
function marksBetween(from: number, until: number): { at: number; text: string }[] {
  const step = steps.find((each) => (until - from) / each <= maxMarks) ?? (until - from) / maxMarks;
  const first = Math.ceil(from / step) * step;
  const count = Math.max(0, Math.ceil((until - first) / step));
  return Array.from({ length: count }, (_, index) => first + index * step).map((at) => {
    return { at, text: step < day && at % day !== 0 ? isoTime(at).slice(11, 16) : byDay.format(at) };
  });
}
