/** The flags of settings, from their rows. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { canBeOff, flagOf, type Setting } from "../../applications/setting.ts";
import { daysOrOff, listOf, secondsFrom, secondsOrOff, wordsOf } from "./values.ts";

type Rows<Field extends string = string> = readonly (readonly [field: Field, row: Setting])[];

/** Adds a flag for each row that has one. `parsers`: of rows of kind `other`, by field. */
export function addSettingFlags<C extends Command>(
  command: C,
  rows: Rows,
  { replaces = true, parsers = {} }: { replaces?: boolean; parsers?: Record<string, (text: string) => unknown> } = {},
): C {
  const added = new Set<string>();
  for (const [field, row] of rows) {
    if (row.flag === undefined || added.has(row.flag)) continue;
    added.add(row.flag);
    const option = new Option(row.flag, helpOf(row, replaces));
    const choices = choicesOf(row);
    const parser = parsers[field] ?? parserOf(row);
    if (choices) option.choices(choices);
    else if (parser) option.argParser(parser);
    command.addOption(option);
  }
  return command;
}

/**
 * The settings of the given flags, by field. An empty text removes a value, unless it is `isNew`.
 */
export function valuesFrom(rows: Rows, flags: object, { isNew = false } = {}): [field: string, value: unknown][] {
  const given = new Map<string, unknown>(Object.entries(flags));
  return rows.flatMap(([field, row]): [string, unknown][] => {
    if (row.flag === undefined || row.kind === "other") return [];
    const value = given.get(new Option(row.flag).attributeName());
    return value === undefined ? [] : [[field, isNew && row.kind === "text" ? value : settingFrom(row, value)]];
  });
}

function settingFrom(row: Setting, value: unknown): unknown {
  if (row.kind === "switch") return value === "on";
  if (row.kind === "lines") return (value as string[]).filter((line) => line !== "");
  if (row.default === null && (value === "" || value === row.none)) return null;
  return row.kind === "list" ? listOf(value as string) : value;
}

/** The flag of a refused field. */
export function flagsOfFields(rows: Rows): Record<string, string> {
  return Object.fromEntries(
    rows.filter(([, { flag }]) => flag !== undefined).map(([field, row]) => [field, flagOf(row)]),
  );
}

/** The sentence in the style of help. */
function helpOf({ about, kind, options = {}, empty }: Setting, replaces: boolean): string {
  const [first = "", second = ""] = about;
  const words = (/[A-Z]/u.test(second) ? first : first.toLowerCase()) + about.slice(1, -1);
  const more = {
    lines: replaces ? "; replaces all others; repeatable" : "; repeatable",
    list: ", separated by commas",
    choices: `, separated by commas: ${Object.keys(options).join(", ")}`,
  } as Partial<Record<Setting["kind"], string>>;
  return `${words}${more[kind] ?? ""}${empty === undefined ? "" : ` (default: ${empty})`}`;
}

function choicesOf({ kind, options = {}, none }: Setting): string[] | undefined {
  if (kind === "switch") return ["on", "off"];
  if (kind !== "choice") return undefined;
  return [...new Set([...Object.keys(options), ...(none === undefined ? [] : [none])])];
}

function parserOf(row: Setting): ((text: string) => unknown) | undefined {
  const parse = parserOfKind(row);
  // An empty text removes the value, which other kinds do without a parser.
  return parse && row.default === null ? (text) => (text === "" ? text : parse(text)) : parse;
}

function parserOfKind(row: Setting): ((text: string) => unknown) | undefined {
  if (row.kind === "number") return (text) => numberFrom(row, text);
  if (row.kind === "choices") return wordsOf(Object.keys(row.options ?? {}));
  if (row.kind !== "duration") return undefined;
  if (row.unit === "days") return daysOrOff;
  return canBeOff(row) ? secondsOrOff : secondsFrom;
}

/** The service checks its range. */
function numberFrom({ range }: Setting, text: string): number {
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number${range ? ` from ${range.least} to ${range.most}` : ""}.`);
}
