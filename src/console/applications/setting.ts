/** A field that changes something, and the flag of the command that does the same. */
import { amountOf, flagOf, objectOf, valueIn, valueText, type Setting as Row } from "../../applications/setting.ts";
import { secondFactorLabels } from "../../applications/settings.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { Setting } from "../parts/edit.ts";
import { linesOf, listOf, type Field, type Options } from "../parts/fields.ts";

const onOff: Options = [
  ["on", "On"],
  ["off", "Off"],
];

export const secondFactorOptions: Options = Object.entries(secondFactorLabels);

const kinds: Partial<Record<Row["kind"], NonNullable<Field["kind"]>>> = {
  number: "number",
  lines: "lines",
  switch: "one-of",
  choice: "one-of",
  choices: "some-of",
};

const howMany: Partial<Record<Row["kind"], string>> = {
  lines: " One a line.",
  list: " Separated by commas.",
};

/** The form's field of a row, and the flag of its command. */
export function settingOf<Thing extends object, Change>(field: string, row: Row): Setting<Thing, Change> {
  const { label, about, empty } = row;
  const kind = kinds[row.kind];
  const options = optionsOf(row);
  return {
    name: row.name ?? field.slice(field.lastIndexOf(".") + 1),
    label,
    about,
    hint: about + (howMany[row.kind] ?? ""),
    refusedAs: field,
    ...(kind && { kind }),
    ...(options && { options }),
    ...(empty !== undefined && { empty }),
    of: (thing) => textOf(row, valueIn(thing, field, row)),
    change: (value) => objectOf([[field, valueFrom(field, row, value)]]) as Change,
    words: (value) => [flagOf(row), ...wordsFrom(row, value)],
  };
}

function optionsOf({ kind, options = {}, none }: Row): Options | undefined {
  if (kind === "switch") return onOff;
  if (kind !== "choice" && kind !== "choices") return undefined;
  const without: Options = none === undefined || none in options ? [] : [[none, "None"]];
  return [...without, ...Object.entries(options)];
}

/** The content of a form field for a value. */
export function textOf(row: Row, value: unknown): string {
  if (row.kind === "lines") return ((value as string[] | null) ?? []).join("\n");
  return row.kind === "choices" ? (value as string[]).join(",") : valueText(row, value);
}

function valueFrom(field: string, row: Row, value: string): unknown {
  const options = Object.keys(row.options ?? {});
  if (row.kind === "switch") return value === "on";
  if (row.kind === "lines") return linesOf(value);
  if (row.kind === "choices") return listOf(value).map((each) => optionOf(field, each, options));
  if (row.default === null && (value === "" || value === row.none)) return null;
  if (row.kind === "choice") return optionOf(field, value, options);
  if (row.kind === "list") return listOf(value);
  // The service refuses invalid numbers.
  if (row.kind === "number") return wholeNumber(value);
  return row.kind === "duration" ? amountOf(row, value) : value;
}

export function wholeNumber(value: string): number {
  return /^\d{1,9}$/u.test(value) ? Number(value) : Number.NaN;
}

function wordsFrom({ kind }: Row, value: string): string[] {
  if (kind === "lines") return value === "" ? [""] : linesOf(value);
  return [kind === "list" ? listOf(value).join(",") : value];
}

/** Throws INVALID_REQUEST unless the value is one of the field's options. */
export function optionOf<const Option extends string>(
  field: string,
  value: string,
  options: readonly Option[],
): Option {
  const found = options.find((option) => option === value);
  if (found === undefined) throw invalidRequest(field, `one of ${options.join(", ")}`);
  return found;
}
