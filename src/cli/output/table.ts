import type { Screen } from "./screen.ts";
import { beginning, padded, styled, visible, widthOf, wordsIn, wrapped } from "./text.ts";

const gap = 2;
/**
 * Words up to this length are never broken. For longer ones (addresses, details) a column keeps at
 * least `leastText`.
 */
const longestWholeWord = 24;
const leastText = 16;
/** Texts this short, such as `103 min ago`, stay on one line. */
const longestInOneLine = 12;
const leastId = 10;
const leastOfAll = 10;
/** In an event stream, a narrower last column is below its row: most rows are one line then. */
const leastLast = 40;

/** The widths that a column's values need: on one line, and for their longest word. */
type Needs = { natural: number; word: number }[];
/** On a narrow terminal the last column is below its row. */
type Layout = { widths: number[]; lastBelow: boolean; columns: number | undefined };

/**
 * Aligned rows under a heading. On a terminal they fit its width: text is wrapped between words if
 * possible, ids are shortened last.
 */
export function table(headings: string[], rows: string[][], { columns }: Pick<Screen, "columns">): string {
  const cells = rows.map((row) => row.map(visible));
  const layout = layoutOf(headings, needsOf(headings, cells), columns);
  const lines = cells.flatMap((row) => rowLines(row, headings, layout));
  return [headingLine(headings, layout), ...lines].map((line) => `${line}\n`).join("");
}

/** The headings of a table, each with the content of its cells. */
export type Columns<Item> = Record<string, (item: Item, screen: Screen) => string>;

export function tableOf<Item>(items: Item[], columns: Columns<Item>, screen: Screen): string {
  const rows = items.map((item) => Object.values(columns).map((cell) => cell(item, screen)));
  return table(Object.keys(columns), rows, screen);
}

/**
 * A table for an event stream: columns have the widths of a first table, and grow if a value needs
 * more.
 */
export function growingTable(headings: string[], { columns }: Pick<Screen, "columns">) {
  let needs = needsOf(headings, []);
  let layout = layoutOf(headings, needs, columns, leastLast);
  return {
    heading: () => `${headingLine(headings, layout)}\n`,
    /** Makes room for these rows before the first is printed. */
    expect(rows: string[][]): void {
      const more = needsOf(
        headings,
        rows.map((row) => row.map(visible)),
      );
      needs = needs.map(({ natural, word }, column) => ({
        natural: Math.max(natural, more[column]?.natural ?? 0),
        word: Math.max(word, more[column]?.word ?? 0),
      }));
      layout = layoutOf(headings, needs, columns, leastLast);
    },
    row: (row: string[]) =>
      rowLines(row.map(visible), headings, layout)
        .map((line) => `${line}\n`)
        .join(""),
  };
}

function needsOf(headings: string[], cells: string[][]): Needs {
  return headings.map((heading, column) => {
    const values = cells.map((row) => row[column] ?? "");
    const words = values.flatMap((value) => value.split(" "));
    return {
      natural: Math.max(widthOf(heading), ...values.map(widthOf)),
      word: Math.max(widthOf(heading), ...words.map(widthOf)),
    };
  });
}

function layoutOf(headings: string[], needs: Needs, columns: number | undefined, least = 0): Layout {
  const natural = needs.map((need) => need.natural);
  if (columns === undefined) return { widths: natural, lastBelow: false, columns };
  const widths = fitted(headings, needs, columns);
  const fits = totalOf(widths) <= columns && (widths.at(-1) ?? 0) >= Math.min(least, natural.at(-1) ?? 0);
  if (fits) return { widths, lastBelow: false, columns };
  const beside = fitted(headings.slice(0, -1), needs.slice(0, -1), columns);
  return { widths: cut(beside, columns, () => leastOfAll), lastBelow: true, columns };
}

/**
 * Widths that fit if possible: long texts shrink first, ids last, and readable words stay whole.
 */
function fitted(headings: string[], needs: Needs, columns: number): number[] {
  const widths = needs.map(({ natural }) => natural);
  const texts = cut(widths, columns, (column) => {
    const { word, natural } = needs[column] ?? { word: 0, natural: 0 };
    if (isId(headings[column]) || natural <= longestInOneLine) return natural;
    return word <= longestWholeWord ? word : leastText;
  });
  return cut(texts, columns, (column) =>
    isId(headings[column]) ? Math.max(leastId, widthOf(headings[column] ?? "")) : (texts[column] ?? 0),
  );
}

/** Narrows the widest column repeatedly, until all fit or none can shrink further. */
function cut(widths: number[], columns: number, least: (column: number) => number): number[] {
  const cutWidths = [...widths];
  const width = (column: number): number => cutWidths[column] ?? 0;
  while (totalOf(cutWidths) > columns) {
    const widest = [...cutWidths.keys()]
      .filter((column) => width(column) > least(column))
      .toSorted((a, b) => width(b) - width(a))[0];
    if (widest === undefined) break;
    cutWidths[widest] = width(widest) - 1;
  }
  return cutWidths;
}

function totalOf(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
}

function headingLine(headings: string[], { widths, lastBelow }: Layout): string {
  return styled("bold", lineOf(lastBelow ? headings.slice(0, -1) : headings, widths).trimEnd());
}

function rowLines(row: string[], headings: string[], { widths, lastBelow, columns }: Layout): string[] {
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? "";
    if (widthOf(cell) <= width) return [cell];
    const fit = isId(headings[column]) ? shortened : broken;
    return wordsIn(cell, width).flatMap((word) => fit(word, width));
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  const lines = Array.from({ length: height }, (_, line) =>
    lineOf(
      cells.map((cellLines) => cellLines[line] ?? ""),
      widths,
    ).trimEnd(),
  );
  const last = row[headings.length - 1] ?? "";
  if (!lastBelow || last === "") return lines;
  const below = `  ${(headings.at(-1) ?? "").toLowerCase()}  ${last}`;
  return [...lines, ...wrapped(below, columns ?? Infinity).split("\n")];
}

function lineOf(cells: string[], widths: number[]): string {
  return cells.map((cell, column) => padded(cell, widths[column] ?? 0)).join(" ".repeat(gap));
}

function isId(heading = ""): boolean {
  return /\bID\b/u.test(heading);
}

/** A long address over several lines, complete: those of one company differ in few characters. */
function broken(word: string, width: number): string[] {
  const lines: string[] = [];
  let rest = word;
  while (widthOf(rest) > width) {
    const fits = beginning(rest, width);
    const [part = ""] = /^.*[@._:/,=-](?=.)/su.exec(fits) ?? [];
    lines.push(part.length * 2 < fits.length ? fits : part);
    rest = rest.slice(lines.at(-1)?.length);
  }
  return [...lines, rest];
}

/** Ids of one kind begin alike, so the middle is cut: `usr_01m…c963cj`. */
export function shortened(word: string, width: number): string {
  const characters = [...word];
  if (widthOf(word) <= width) return word;
  const ending = Math.floor((width - 1) / 2);
  return `${characters.slice(0, width - 1 - ending).join("")}…${ending === 0 ? "" : characters.slice(-ending).join("")}`;
}
