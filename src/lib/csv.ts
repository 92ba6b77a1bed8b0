/** Tables for people, in the form that spreadsheets read (RFC 4180). */

/** So that a spreadsheet reads the letters as UTF-8. */
export const byteOrderMark = "\u{FEFF}";

/**
 * Where a text from a stranger would be a formula: at the beginning of a cell, also for a
 * spreadsheet that separates by semicolons or tabs.
 */
const formula = /(?<=^|[;,\t\r\n]["\s]*)(?=[=+@\t\r\n＝＋＠－-])/gu;

/** One line, with an apostrophe before whatever would be a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(text: string): string {
  const harmless = text.replaceAll(formula, "'");
  return /[",;\t\r\n]|^\s|\s$/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** An id as text: a spreadsheet would read `0042`, `1e5` or `may-5` as a number or a day. */
export function csvId(id: string): string {
  return /\d/u.test(id) && !/^[a-z]+_/u.test(id) ? `'${id}` : id;
}

/** A time as spreadsheets read it, in UTC. */
export function csvTime(iso: string | null): string {
  return iso === null ? "" : iso.slice(0, 19).replace("T", " ");
}
