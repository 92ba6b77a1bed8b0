import { escapeUnseen } from "../../lib/text.ts";

/** Makes a stored or typed value safe for a terminal: control characters are shown as `\u001b`. */
export function visible(value: string): string {
  return escapeUnseen(value);
}

/** A JSON document: indented for people, one line for programs. Safe for a terminal. */
export function json(value: unknown, indented: boolean): string {
  return `${escapeUnseen(JSON.stringify(value, null, indented ? 2 : undefined), "\n")}\n`;
}

/** One `name  value` per line, values aligned; without those that are undefined. */
export function facts(entries: [name: string, value: string | undefined][]): string {
  const shown = entries.flatMap(([name, value]) => (value === undefined ? [] : [{ name: visible(name), value }]));
  const width = Math.max(0, ...shown.map(({ name }) => widthOf(name)));
  return shown.map(({ name, value }) => `${padded(name, width)}  ${visible(value)}\n`).join("");
}

/**
 * The approximate terminal columns of a text: East Asian characters and emoji take two, marks none.
 */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text.replaceAll(marks, ""))
    width += zeroWide.test(character) ? 0 : twoWide.test(character) ? 2 : 1;
  return width;
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** As many of a text's first characters as fit, but at least one. */
export function beginning(text: string, width: number): string {
  const [first = "", ...others] = text;
  let fits = first;
  for (const character of others) {
    if (widthOf(fits + character) > width) break;
    fits += character;
  }
  return fits;
}

const zeroWide = /\p{Mn}|\p{Me}|\u200C|\u200D|\uFE0F/u;
const twoWide =
  /[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;

/**
 * Emphasis is marked by characters that no text may contain. The printer turns them into terminal
 * sequences after escaping everything else.
 */
const styles = { bold: 1, red: 31, green: 32, yellow: 33 } as const;
type Style = keyof typeof styles;
const styleNames = Object.keys(styles) as Style[];
const firstMark = 0xfdd0;
const endMark = "\uFDEF";
const marks = /[\uFDD0-\uFDD3\uFDEF]/gu;

export function styled(style: Style, text: string): string {
  return String.fromCharCode(firstMark + styleNames.indexOf(style)) + text + endMark;
}

/**
 * Escapes a text for a stream. Only our own emphasis acts on the terminal, if `colour` allows it.
 */
export function printable(text: string, colour: boolean): string {
  const kept = `\n${styleNames.map((_, index) => String.fromCharCode(firstMark + index)).join("")}${endMark}`;
  return escapeUnseen(text, kept).replaceAll(marks, (mark) => {
    if (!colour) return "";
    const style = styleNames[mark.charCodeAt(0) - firstMark];
    return `\u001b[${style === undefined ? 0 : styles[style]}m`;
  });
}

/** Wraps long lines between words; continuation lines are indented to the line's last column. */
export function wrapped(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (widthOf(line) <= columns ? line : wrappedLine(line, columns)))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  const [start = ""] = /^\s*(?:\S+(?: \S+)*\s{2,})*/u.exec(line) ?? [];
  const indent = widthOf(start) > columns / 2 ? 4 : widthOf(start);
  return start + wordsIn(line.slice(start.length), columns - indent).join(`\n${" ".repeat(indent)}`);
}

/** Fills lines with words; a word longer than a line gets its own. */
export function wordsIn(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
