/** A field that changes something, and the flag of the command that does the same. */
import { invalidRequest } from "../../lib/errors.ts";
import type { Field, Options, Values } from "../parts/fields.ts";

export type Setting<Thing, Change> = Field & {
  /** What the field contains for a thing as it is. */
  of(thing: Thing): string;
  /** Throws INVALID_REQUEST naming the field. */
  change(value: string): Change;
  words(value: string): string[];
};

export const onOff: Options = [
  ["on", "On"],
  ["off", "Off"],
];

export const secondFactorOptions: Options = [
  ["off", "Off"],
  ["optional", "Optional"],
  ["required", "Required"],
];

export function onOrOff(value: boolean | undefined): string {
  return value === true ? "on" : "off";
}

/** An empty text removes a value. */
export function cleared(value: string): string | null {
  return value === "" ? null : value;
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

export function valuesOf<Thing>(
  settings: readonly Pick<Setting<Thing, unknown>, "name" | "of">[],
  thing: Thing,
): Values {
  return Object.fromEntries(settings.map(({ name, of }) => [name, of(thing)]));
}

/** The settings whose values differ from those that the page had. */
export function changedSettings<S extends { name: string }>(settings: readonly S[], values: Values, was: Values): S[] {
  return settings.filter(({ name }) => values[name] !== was[name]);
}

/** All changes as one, down to the members of their objects. */
export function mergedChange<Change extends object>(
  settings: readonly Pick<Setting<never, Change>, "name" | "change">[],
  values: Values,
): Change {
  const changes = settings.map(({ name, change }) => change(values[name] ?? ""));
  return changes.reduce<object>(merged, {}) as Change;
}

function merged(base: object, change: object): object {
  const next: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(change)) {
    const present = next[name];
    next[name] = isPlain(present) && isPlain(value) ? merged(present, value) : value;
  }
  return next;
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function wordsOf(
  settings: readonly Pick<Setting<never, unknown>, "name" | "words">[],
  values: Values,
): string[] {
  return settings.flatMap(({ name, words }) => words(values[name] ?? ""));
}
