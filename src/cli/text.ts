import { styleText } from "node:util";
import type { Io } from "./io.ts";

// C0 and C1 controls drive a terminal; bidirectional marks make text read as something else (https://trojansource.codes).
// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A stored or typed value made harmless for a terminal: what would act on it is shown as `\u001b`. */
export function visible(value: string): string {
  return value.replace(unsafe, escaped);
}

/** A JSON document: indented for a person, one line for a program. Still JSON, and harmless when it ends on a terminal. */
export function json(value: unknown, indented: boolean): string {
  const text = JSON.stringify(value, null, indented ? 2 : undefined);
  return `${text.replace(unsafe, (character) => (character === "\n" ? character : escaped(character)))}\n`;
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Rows under a heading, columns aligned. */
export function table(heading: string[], rows: string[][], emphasise: (text: string) => string): string {
  const cells = rows.map((row) => row.map(visible));
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => [...(row[column] ?? "")].length)),
  );
  const line = (row: string[]): string =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - [...cell].length))
      .join("  ")
      .trimEnd();
  return [emphasise(line(heading)), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

/** One `name  value` a line, values aligned. */
export function facts(entries: [name: string, value: string][]): string {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${visible(value)}\n`).join("");
}

/** Bold where the stream is a terminal that shows it, and https://no-color.org does not forbid it. */
export function bold(io: Io, stream: NodeJS.WriteStream): (text: string) => string {
  const plain = !stream.isTTY || Boolean(io.env["NO_COLOR"]) || io.env["TERM"] === "dumb";
  return (text) => (plain ? text : styleText("bold", text, { validateStream: false }));
}
