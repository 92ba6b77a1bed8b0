/**
 * A form that edits something posts, beside each field, the value that it showed. Nothing else is
 * written, and what somebody else changed as well is refused (docs/decisions/0087).
 */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../lib/errors.ts";
import { listInWords } from "../../lib/text.ts";
import type { Post } from "../route.ts";
import { asPosted, before, entered, type Field, type Values } from "./fields.ts";

export type Setting<Thing, Change> = Field & {
  /** The content of the field for the current value. */
  of(thing: Thing): string;
  /** Throws INVALID_REQUEST naming the field. */
  change(value: string): Change;
  words(value: string): string[];
};

/** Without a flag of its own. */
export type Edit<Thing, Change> = Omit<Setting<Thing, Change>, "words">;

/** What a form showed, and what was entered. */
export type Edited = { values: Values; was: Values };

export function edited(fields: readonly Field[], post: Post): Edited {
  return { values: entered(fields, post), was: before(fields, post) };
}

export function valuesOf<Thing>(
  settings: readonly Pick<Setting<Thing, unknown>, "name" | "of">[],
  thing: Thing,
): Values {
  return Object.fromEntries(settings.map(({ name, of }) => [name, of(thing)]));
}

type Changing<Change> = Pick<Setting<never, Change>, "name" | "kind" | "options" | "change">;

/** The settings to which the form gives another value: 24h is 1d. */
export function changedSettings<S extends Changing<unknown>>(settings: readonly S[], { values, was }: Edited): S[] {
  return settings.filter((setting) => !isSame(setting, values[setting.name] ?? "", was[setting.name] ?? ""));
}

function isSame(setting: Changing<unknown>, one: string, other: string): boolean {
  const [first, second] = [asPosted(setting, one), asPosted(setting, other)];
  if (first === second) return true;
  try {
    return isDeepStrictEqual(setting.change(first), setting.change(second));
  } catch {
    // The operation refuses it with the reason.
    return false;
  }
}

/**
 * The form's change of the state that an operation has locked, which calls this. Throws CONFLICT if
 * somebody else has changed one of the same settings in another way.
 */
export function changeOnto<Thing, Change extends object>(
  settings: readonly Edit<Thing, Change>[],
  form: Edited,
): (current: Thing) => Change {
  const changed = changedSettings(settings, form);
  const change = mergedChange<Change>(changed, form.values);
  return (current) => {
    const contested = changed.filter((setting) => {
      const present = setting.of(current);
      const [value = "", was = ""] = [form.values[setting.name], form.was[setting.name]];
      return !isSame(setting, present, was) && !isSame(setting, present, value);
    });
    if (contested.length > 0) throw changedByOthers(contested.map(({ label }) => label));
    return change;
  };
}

export function changedByOthers(labels: readonly string[]): AppError {
  const text = `Somebody else has changed this in the meantime: ${listInWords(labels, "and")}.`;
  return new AppError("CONFLICT", `${text} Nothing was saved. To replace what is there now, send it again.`);
}

/** All changes as one, down to the members of their objects. */
export function mergedChange<Change extends object>(settings: readonly Changing<Change>[], values: Values): Change {
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
